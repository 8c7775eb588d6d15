import type { WorkerMessage } from './wire.ts';

/** A connection to a worker. It begins when it is made. */
export interface WorkerChannel {
  /** Sends an operation. Does nothing after the end. */
  send(command: string): void;
  /** Sends an interrupt, which does not wait for the operation that runs. */
  sendAtOnce(command: string): void;
  /** Ends the worker and every process it has started, as far as it is ours. Safe to call twice. */
  kill(): void;
}

export interface WorkerListener {
  readonly message: (message: WorkerMessage) => void;
  /** Output on descriptor 1 or 2 of the process, written past Lisp's own streams. */
  readonly leaked: (stream: 'stdout' | 'stderr', text: string) => void;
  /** The worker is gone. Called once, after everything else. */
  readonly ended: (end: WorkerEnd) => void;
}

export type WorkerEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'unstarted'; readonly error: Error }
  | { readonly kind: 'garbage'; readonly error: Error }
  /** The connection to a Lisp that is not ours has ended. */
  | { readonly kind: 'detached' };
