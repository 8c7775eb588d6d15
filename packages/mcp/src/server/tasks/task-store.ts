import type { ErrorObject } from '../../jsonrpc/message.ts';
import type { InputRequests, InputResponses } from '../../protocol/stateless.ts';
import type { CallToolResult, ClientCapabilities } from '../../protocol/types.ts';

/**
 * Stores tasks, so that every process can be asked about a task that another process runs. An implementation that
 * several processes share may return promises; the one in memory returns at once. Calls about one task take effect in
 * the order in which one process makes them. A call that fails rejects, with StoreUnavailable if it may succeed later.
 */
export interface TaskStore {
  /** A secret that all processes that share this have: a server without `stateSecret` takes it. */
  readonly stateSecret?: string;
  /** Adds a task, at most until it expires. `record` is plain JSON. */
  create(id: string, record: TaskRecord): void | Promise<void>;
  /**
   * Replaces the record of a task that belongs to the process `owner`; the new record may name another process. False,
   * and nothing has changed, if the task has ended, belongs to another process, or is gone. A record whose task has
   * ended is never replaced.
   */
  save(id: string, record: TaskRecord, owner: string): boolean | Promise<boolean>;
  /** Undefined when there is no such task, or it has expired. */
  find(id: string): TaskRecord | undefined | Promise<TaskRecord | undefined>;
  /**
   * Calls the watcher with the records that any process saves, until the returned function is called. Records that
   * follow each other quickly may be left out, but not the last. Rejects if it cannot.
   */
  watch(id: string, watcher: TaskWatcher): Stop;
  /** Sends a message to the process that runs the task. False if none has taken it. */
  send(id: string, message: TaskMessage): boolean | Promise<boolean>;
  /** Calls the receiver with every message sent to the task, until the returned function is called. Rejects if it cannot. */
  receive(id: string, receiver: TaskReceiver): Stop;
  /** Keeps the tasks of a process from being abandoned for this long; called again before the time has passed. */
  renew(process: string, milliseconds: number): void | Promise<void>;
  /** The ids of unfinished tasks whose process was not renewed in time. */
  abandoned(): readonly string[] | Promise<readonly string[]>;
}

export type Stop = (() => void) | Promise<() => void>;

export interface TaskWatcher {
  changed(record: TaskRecord): void;
  /** The task has expired; this is its last record. Nothing follows. */
  expired(record: TaskRecord): void;
  /** Nothing follows, because the store has failed or no longer has the task. */
  lost(reason: Error): void;
}

export interface TaskReceiver {
  message(message: TaskMessage): void;
  /** Nothing follows, because the store has failed or no longer has the task. */
  lost(reason: Error): void;
}

export interface TaskRecord {
  /** What clients see. */
  readonly task: TaskDetails;
  /** The process that runs the task. */
  readonly process: string;
  /** A digest of the id of the principal that started it; other principals can't see it. Absent without authorization. */
  readonly startedBy?: string;
  /** In milliseconds since 1970. */
  readonly expires: number;
  /** What another process needs to run the task, if its author says that it may. */
  readonly restart?: TaskRestart;
}

export interface TaskRestart {
  /** The name of the work, and what it is given. */
  readonly work: string;
  readonly input: unknown;
  /** The capabilities of the client that started the task. */
  readonly capabilities: ClientCapabilities;
  /** The tool that started it, whose `outputSchema` holds for its result. */
  readonly tool?: string;
  /** How often the work was begun. */
  readonly attempt: number;
}

export type TaskMessage =
  | { readonly kind: 'responses'; readonly responses: InputResponses }
  | { readonly kind: 'cancel' };

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The members of the response that creates a task. */
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
