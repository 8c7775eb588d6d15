import type { ErrorObject } from '../../jsonrpc/message.ts';
import type { InputRequests, InputResponses } from '../../protocol/stateless.ts';
import type { CallToolResult } from '../../protocol/types.ts';

/**
 * Stores tasks, so that every process can be asked about a task that another process runs. An implementation that
 * several processes share may return promises; the one in memory returns at once. Calls take effect in the order in
 * which one process makes them.
 */
export interface TaskStore {
  /** Stores the status of a task, at most until it expires. `record` is plain JSON. */
  save(id: string, record: TaskRecord): void | Promise<void>;
  /** Undefined when there is no such task, or it has expired. */
  find(id: string): TaskRecord | undefined | Promise<TaskRecord | undefined>;
  /** Calls the listener with every record that any process saves, until the returned function is called. */
  watch(id: string, listener: (record: TaskRecord) => void): () => void;
  /** Sends a message to the process that runs the task. It is lost when that process has gone. */
  send(id: string, message: TaskMessage): void | Promise<void>;
  /** Calls the listener with every message sent to the task, until the returned function is called. */
  receive(id: string, listener: (message: TaskMessage) => void): () => void;
}

export interface TaskRecord {
  /** What clients see. */
  readonly task: TaskDetails;
  /** A digest of the id of the principal that started it; other principals can't see it. Absent without authorization. */
  readonly startedBy?: string;
  /** In milliseconds since 1970. */
  readonly expires: number;
}

export type TaskMessage =
  | { readonly kind: 'answers'; readonly responses: InputResponses }
  | { readonly kind: 'cancel' };

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The members of the answer that creates a task. */
export interface TaskFacts {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
}

/** A task with its open questions or its outcome. */
export interface TaskDetails extends TaskFacts {
  readonly inputRequests?: InputRequests;
  readonly result?: CallToolResult;
  readonly error?: ErrorObject;
}

/** Whether the status is final. */
export function hasEnded(status: TaskStatus): boolean {
  return status !== 'working' && status !== 'input_required';
}
