import type { ChangeMark } from './change-mark.ts';

/** What a message says to the HTTP transport. It travels through jsonrpc/ as an opaque hint. */
export interface HttpHints {
  /** Sent with the request, besides the headers of the connection. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The change that the notification reports, if other processes may report it too. */
  readonly change?: ChangeMark;
}

/** The hints in what `Connection.send` was given. */
export function httpHintsOf(hints: { readonly transport?: unknown } | undefined): HttpHints {
  // Only protocol/ and server/ give hints to transports, and these are all there are.
  return (hints?.transport ?? NONE) as HttpHints;
}

const NONE: HttpHints = {};
