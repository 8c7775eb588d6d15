import type { ErrorObject } from '../../jsonrpc/message.ts';
import type { InputRequests, InputResponses } from '../../protocol/stateless.ts';
import type { CallToolResult } from '../../protocol/types.ts';

/**
 * What is known of tasks, so that any process can be asked about one, and not only the one that works at it. An
 * implementation that several processes share may answer with promises; the one in memory answers at once. Calls take
 * effect in the order in which one process makes them.
 */
export interface TaskStore {
  /** Remembers how a task stands; no longer than until it expires. `record` is plain JSON. */
  save(id: string, record: TaskRecord): void | Promise<void>;
  /** Undefined when there is no such task, or no longer. */
  find(id: string): TaskRecord | undefined | Promise<TaskRecord | undefined>;
  /** Hands over what is saved of a task from now on, by whichever process, until the returned function is called. */
  watch(id: string, listener: (record: TaskRecord) => void): () => void;
  /** Tells something to the process that works at a task; nobody hears of it when that is gone. */
  tell(id: string, message: TaskMessage): void | Promise<void>;
  /** Hands over what that process is told from now on, until the returned function is called. */
  hear(id: string, listener: (message: TaskMessage) => void): () => void;
}

export interface TaskRecord {
  /** As it is shown to clients. */
  readonly task: TaskDetails;
  /** A digest of what its client identified itself with, if it did: others may not look at it. */
  readonly startedBy?: string;
  /** In milliseconds since 1970. */
  readonly expires: number;
}

export type TaskMessage =
  | { readonly kind: 'answers'; readonly responses: InputResponses }
  | { readonly kind: 'cancel' };

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task as the answer that creates it shows it. */
export interface TaskFacts {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
}

/** A task with its questions or its outcome. */
export interface TaskDetails extends TaskFacts {
  readonly inputRequests?: InputRequests;
  readonly result?: CallToolResult;
  readonly error?: ErrorObject;
}

/** Whether nothing more happens to a task. */
export function isOver(status: TaskStatus): boolean {
  return status !== 'working' && status !== 'input_required';
}
