/** Requests wait for their responses; control messages must not wait behind them. */
export type Pool = 'requests' | 'control';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly pool: Pool;
  /** Called once or more when the body has left this process, or at least the queue of this sender. */
  readonly sent: (() => void) | undefined;
}

/** The head of a response. Whoever gets one reads it to its end or destroys it: until then it occupies a connection. */
export interface HttpResponse {
  readonly status: number;
  /** Empty when there is none. */
  readonly statusText: string;
  /** The value of a header; undefined when there is none. */
  header(name: string): string | undefined;
  /** Passes the body on as it arrives. Settles at its end, rejects with a NetworkError if it breaks off. Called once. */
  read(chunk: (bytes: Uint8Array) => void): Promise<void>;
  /** Ends it at once; a `read` under way rejects. */
  destroy(): void;
}

export interface PendingResponse {
  /** Rejects with a NetworkError when there is no response, or an HttpError when it is none to a request like this. */
  readonly response: Promise<HttpResponse>;
  /** Ends the request in any state, also while the response is read. */
  abort(): void;
}

/** Sends HTTP requests. Does not follow redirects, and sends nothing twice. */
export interface HttpSender {
  send(request: HttpRequest): PendingResponse;
  /** Closes idle connections. */
  close(): void;
}

/** Connections for control messages. */
export const MAX_CONTROL_CONNECTIONS = 16;

/** For messages: without the query and credentials, which may be secret. */
export function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
