/** The messages of JSON-RPC 2.0. */
export type Message = Request | Notification | Success | Failure;
export type Response = Success | Failure;

export type RequestId = string | number;
export type Params = { readonly [name: string]: unknown } | readonly unknown[];

export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params;
}

export interface Notification {
  readonly jsonrpc: '2.0';
  readonly id?: undefined;
  readonly method: string;
  readonly params?: Params;
}

export interface Success {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method?: undefined;
  readonly result: unknown;
  readonly error?: undefined | null;
}

export interface Failure {
  readonly jsonrpc: '2.0';
  /** Null or absent when the id of what failed could not be read. */
  readonly id?: RequestId | null;
  readonly method?: undefined;
  readonly error: ErrorObject;
}

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A text that is not a message: the error to send, and the id for the response if one could be read. */
export interface Malformed {
  readonly error: ErrorObject;
  readonly id: RequestId | undefined;
}
