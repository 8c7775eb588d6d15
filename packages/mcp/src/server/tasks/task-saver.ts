import { isThenable } from '../../jsonrpc/thenable.ts';
import { pause } from '../../jsonrpc/waiting.ts';
import type { Task } from './task.ts';
import type { TaskStore } from './task-store.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;

export interface TaskSaverOptions {
  readonly store: TaskStore;
  /** The process that the task belongs to. */
  readonly process: string;
  /** The store does not take the record: the task belongs to another process, or is gone. */
  readonly refused: (task: Task) => void;
  /** Gets the first failure of each record. */
  readonly report: (thrown: unknown, what: string) => void;
}

/** Saves the newest record of a task, again and again until the store has it or the task expires. */
export class TaskSaver {
  readonly #task: Task;
  readonly #options: TaskSaverOptions;
  #isChanged = false;
  #saving: Promise<void> | undefined;

  constructor(task: Task, options: TaskSaverOptions) {
    this.#task = task;
    this.#options = options;
  }

  /** Settles when the store has what was changed; undefined if it has. Never rejects. */
  get saving(): Promise<void> | undefined {
    return this.#saving;
  }

  changed(): void {
    this.#isChanged = true;
    if (this.#saving !== undefined) return;
    const saved = this.#save();
    if (!isThenable(saved)) {
      this.#saved(saved as boolean); // not a promise, by the line above
      return;
    }
    this.#saving = this.#untilSaved(Promise.resolve(saved as Promise<boolean>)).then(() => {
      this.#saving = undefined;
    });
  }

  #save(): boolean | Promise<boolean> {
    const { store, process } = this.#options;
    this.#isChanged = false;
    return store.save(this.#task.id, this.#task.record(), process);
  }

  async #untilSaved(first: Promise<boolean>): Promise<void> {
    let saving: boolean | Promise<boolean> = first;
    for (let delay = FIRST_DELAY_MS; ; ) {
      try {
        const isSaved = await saving;
        this.#saved(isSaved);
        if (!isSaved || !this.#isChanged) return;
        delay = FIRST_DELAY_MS;
      } catch (thrown) {
        if (delay === FIRST_DELAY_MS) this.#options.report(thrown, `saving task ${this.#task.id}`);
        if (Date.now() > this.#task.expires) return;
        await pause(delay);
        delay = Math.min(2 * delay, MAX_DELAY_MS);
      }
      saving = Promise.resolve().then(() => this.#save());
    }
  }

  #saved(isSaved: boolean): void {
    if (!isSaved) this.#options.refused(this.#task);
  }
}
