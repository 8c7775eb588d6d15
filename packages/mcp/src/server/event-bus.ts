import type { Params } from '../jsonrpc/message.ts';
import type { LogLevel } from '../protocol/types.ts';

/**
 * Carries changes to every process of a server, so that each can notify its clients. Positions are as in ChangeMark. A
 * call that fails rejects, with StoreUnavailable if it may succeed later.
 */
export interface EventBus {
  /** A secret that all processes that share this have: a server without `stateSecret` takes it. */
  readonly stateSecret?: string;
  /** The position of the last change that the listeners got. */
  readonly position: string;
  /** Publishes a change exactly once, also after retries. The publishing process gets it, too. */
  publish(change: Change): void | Promise<void>;
  /** Calls the listener with the changes of all processes, in one order everywhere, until the returned function is called. */
  listen(listener: BusListener): () => void;
  /** The changes after a position, at most this many. Undefined when some of them are no longer known. */
  read(after: string, limit: number): ReadChanges | Promise<ReadChanges>;
}

export interface BusListener {
  changed(published: PublishedChange): void;
  /** Changes up to this position were missed, and cannot be read. */
  missed(position: string): void;
}

export interface PublishedChange {
  readonly position: string;
  readonly change: Change;
}

export type ReadChanges = readonly PublishedChange[] | undefined;

/** The lists whose changes clients are notified of. */
export type ListName = 'tools' | 'prompts' | 'resources';

/** Plain JSON. */
export type Change =
  | { readonly kind: 'list'; readonly list: ListName }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly data: unknown; readonly logger?: string }
  | { readonly kind: 'notification'; readonly method: string; readonly params?: Params };
