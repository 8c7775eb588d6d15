/** The server responded with an HTTP status or a body that is not a JSON-RPC message. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Whether the server denied access or was unavailable, so that the status says nothing about the request itself. */
  get isUnavailable(): boolean {
    return [401, 403, 407, 429].includes(this.status) || this.status >= 500;
  }
}
