/** The user or program that sent a request, as the `authorize` option of a transport reports it. */
export interface Principal {
  /** The owner of sessions, streams and tasks. It must stay the same when a token is refreshed. */
  readonly id: string;
  readonly scopes?: readonly string[];
  /** Anything else that handlers need, such as claims of a token. */
  readonly [member: string]: unknown;
}

/** Names in lower case. */
export interface RequestHeaders {
  // No transport repeats these.
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'user-agent'?: string | undefined;
  readonly [name: string]: string | readonly string[] | undefined;
}

/** What a transport knows about the source of a message. jsonrpc/ passes it on without looking at it. */
export interface Origin {
  /** The client that limits count by: the principal, or else the address. Absent where it is not known. */
  readonly client?: string | undefined;
  /** Absent when the transport does not authorize. */
  readonly principal?: Principal | undefined;
  /** Absent when the transport has no headers. */
  readonly headers?: RequestHeaders | undefined;
}
