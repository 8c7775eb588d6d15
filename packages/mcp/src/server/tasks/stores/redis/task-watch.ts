import { unref } from '../../../../jsonrpc/deadlines.ts';
import type { Redis } from '../../../../redis/redis.ts';
import type { TaskRecord, TaskWatcher } from '../../task-store.ts';
import { ExpiryTimer } from '../expiry-timer.ts';
import type { TaskKeys } from './task-keys.ts';

const RETRY_MS = 1000;

/** Calls a watcher with the records of a task. */
export class TaskWatch {
  readonly #redis: Redis;
  readonly #keys: TaskKeys;
  readonly #watcher: TaskWatcher;
  readonly #expiry = new ExpiryTimer(() => this.#expired());
  #stopListening = () => {};
  #record: TaskRecord | undefined;
  #version = 0;
  #isStopped = false;

  constructor(redis: Redis, keys: TaskKeys, watcher: TaskWatcher) {
    this.#redis = redis;
    this.#keys = keys;
    this.#watcher = watcher;
  }

  /** Settles when no change can be missed. Rejects if the server cannot be reached. */
  async start(): Promise<void> {
    this.#stopListening = await this.#redis.subscriptions.add(this.#keys.records, {
      message: (text) => {
        const end = text.indexOf('\n');
        this.#changed(Number(text.slice(0, end)), text.slice(end + 1));
      },
      check: () => this.#check(),
      failed: (error) => this.#lose(error),
    });
    try {
      const [version, record] = await this.#read();
      // The watcher knows the record it started from; report only one that was saved since.
      if (version !== null && record !== null && Number(version) > this.#version) this.#keep(Number(version), record);
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#expiry.stop();
    this.#stopListening();
  }

  async #read(): Promise<[version: string | null, record: string | null]> {
    const { task } = this.#keys;
    const found = await this.#redis.connection.send(task, ['HMGET', task, 'version', 'record']);
    return found as [string | null, string | null];
  }

  #keep(version: number, text: string): void {
    this.#version = version;
    this.#record = JSON.parse(text) as TaskRecord;
    this.#expiry.set(this.#record.expires);
  }

  #changed(version: number, text: string): void {
    if (this.#isStopped || version <= this.#version) return;
    this.#keep(version, text);
    this.#watcher.changed(this.#record as TaskRecord);
  }

  /** A change may have been missed. */
  #check(): void {
    if (this.#isStopped) return;
    this.#read().then(
      ([version, record]) => {
        if (version !== null && record !== null) this.#changed(Number(version), record);
        else if (this.#record !== undefined && Date.now() < this.#record.expires) {
          this.#lose(new Error(`The task ${this.#record.task.taskId} is gone`));
        }
      },
      () => {
        unref(setTimeout(() => this.#check(), RETRY_MS));
      },
    );
  }

  #expired(): void {
    if (this.#isStopped) return;
    this.stop();
    this.#watcher.expired(this.#record as TaskRecord);
  }

  #lose(reason: Error): void {
    if (this.#isStopped) return;
    this.stop();
    this.#watcher.lost(reason);
  }
}
