import type { Members } from '@hawser/unknown-values/objects';

/** What a wire received. */
export type Received =
  | { readonly kind: 'message'; readonly message: Members; readonly text: string }
  /** Something that is not a JSON object or array. */
  | { readonly kind: 'garbage'; readonly text: string }
  /** An HTTP response with no message in it. */
  | { readonly kind: 'status'; readonly status: number }
  /** The connection is over; there is nothing after this. */
  | { readonly kind: 'end'; readonly how: string };

/** Exchanges text with a server, exactly as written. Nothing is checked, retried or hidden. */
export interface Wire {
  /** Sends a text as one message, exactly as it is; other values as JSON. Ignored after the end. */
  send(message: unknown): void;
  /** The next thing received. Undefined if there is nothing within the time. */
  next(milliseconds: number): Promise<Received | undefined>;
  /** Resolves when each message was handed over: over HTTP, when its response ended or the time is over. */
  flushed(milliseconds: number): Promise<void>;
  /** Everything sent, in order, for reproduction: a piece for each message, with its line end if it has one. */
  readonly sent: readonly Uint8Array[];
  /** Idempotent. */
  close(): Promise<void>;
}

export function textOf(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** Text of the server as a received message, if it is one. */
export function received(text: string): Received {
  try {
    const message: unknown = JSON.parse(text);
    // The messages of a batch are an array, which has none of the members of a message.
    if (typeof message === 'object' && message !== null) return { kind: 'message', message: message as Members, text };
  } catch {
    // Not JSON.
  }
  return { kind: 'garbage', text };
}
