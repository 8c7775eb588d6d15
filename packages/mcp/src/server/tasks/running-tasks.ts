import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import { type InFlight, Shares } from '../../jsonrpc/in-flight.ts';
import { settlesWithin } from '../../jsonrpc/waiting.ts';
import { ProcessLease } from '../../protocol/process-lease.ts';
import type { Report } from '../error-report.ts';
import { RestartableWorks } from './restartable-work.ts';
import { ExpiryTimer } from './stores/expiry-timer.ts';
import { type ResultOf, Task, type TaskStart, type TaskWork } from './task.ts';
import { TaskSaver } from './task-saver.ts';
import { hasEnded, type TaskDetails, type TaskRecord, type TaskStore } from './task-store.ts';

export interface RunningTasksOptions {
  readonly store: TaskStore;
  readonly maxTasks: number;
  readonly maxTasksPerClient: number;
  readonly leaseMs: number;
  readonly report: Report;
  /** Where the requests of tasks at work are counted. */
  readonly inFlight: InFlight;
  readonly resultOf: ResultOf;
}

/** What the request that starts a task counts for. */
interface TaskShare {
  /** Of the request, which the work may keep. */
  readonly bytes: number;
  /** The client that limits count by. */
  readonly client: string | undefined;
}

interface Running {
  readonly task: Task;
  readonly saver: TaskSaver;
  readonly expiry: ExpiryTimer;
  readonly share: TaskShare;
  stopReceiving: () => void;
}

/** How often the work of a task is started at most: the work itself may be what kills the processes. */
const MAX_ATTEMPTS = 3;
/** How often this process leaves an abandoned task to others, because it does not have the work. */
const MAX_LEFT_ALONE = 3;
/** How long a server that closes waits for its store. */
const CLOSE_MS = 2000;
const DIED = 'The process that ran this task has died';

/** The tasks that this process runs, and those that it takes over from processes that have died. */
export class RunningTasks {
  readonly works = new RestartableWorks();
  readonly #running = new Map<string, Running>();
  readonly #options: RunningTasksOptions;
  readonly #shares = new Shares();
  readonly #lease: ProcessLease;
  #hasOthers = false;
  /** Abandoned tasks whose work this process lacks, and how often it saw them. */
  readonly #leftAlone = new Map<string, number>();

  constructor(options: RunningTasksOptions) {
    const { store, leaseMs, report } = options;
    this.#options = options;
    const sweep = async () => {
      for (const id of await store.abandoned()) await this.#abandoned(id);
    };
    this.#lease = new ProcessLease(store, leaseMs, (thrown) => report(thrown, 'renewing the lease of tasks'), sweep);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Looks for tasks of processes that have died, from now on. */
  watchOthers(): void {
    this.#hasOthers = true;
    const failed = (thrown: unknown) => this.#options.report(thrown, 'renewing the lease of tasks');
    Promise.resolve(this.#lease.start()).catch(failed);
  }

  /**
   * Adds a task to the store and begins its work. Rejects, and begins nothing, if the store cannot take it.
   */
  async start(work: TaskWork, begin: Omit<TaskStart, 'restart'>, share: TaskShare): Promise<Task> {
    const { store, maxTasks, maxTasksPerClient } = this.#options;
    if (this.#running.size >= maxTasks) {
      const message = `Task limit reached (${maxTasks} unfinished). Try again when one has ended.`;
      throw new RpcError(ErrorCode.LimitReached, message);
    }
    if (this.#shares.of(share.client) >= maxTasksPerClient) {
      const held = `This client has ${maxTasksPerClient} unfinished tasks (maxTasksPerClient)`;
      throw new RpcError(ErrorCode.LimitReached, `${held}. Try again when one has ended.`);
    }
    const named = this.works.nameOf(work);
    const { capabilities, tool } = begin;
    const restart = named && {
      work: named.name,
      input: named.input,
      capabilities,
      attempt: 1,
      ...(tool !== undefined && { tool }),
    };
    const running = this.#add({ ...begin, restart }, share);
    const { task } = running;
    try {
      await this.#lease.start();
      await store.create(task.id, task.record());
      await this.#receive(running);
    } catch (error) {
      this.#remove(running);
      throw error;
    }
    task.run(work);
    return task;
  }

  /**
   * Leaves restartable tasks to other processes, and cancels all others. Settles when the store has their records, or does
   * not respond.
   */
  async close(): Promise<void> {
    const all = [...this.#running.values()];
    for (const running of all) {
      if (this.#hasOthers && running.task.isRestartable) {
        this.#remove(running);
        running.task.abandon('The server is closing');
      } else running.task.cancel();
    }
    const saving = all.map(({ saver }) => saver.saving).filter((each) => each !== undefined);
    if (saving.length > 0) await settlesWithin(CLOSE_MS, Promise.all(saving));
    this.#lease.stop();
  }

  #add(start: TaskStart, share: TaskShare): Running {
    const { store, report, inFlight, resultOf } = this.#options;
    const { process } = this.#lease;
    const changed = (task: Task) => {
      if (task.hasEnded) this.#remove(running);
      running.saver.changed();
    };
    const refused = (task: Task) => {
      this.#remove(running);
      task.abandon('The task no longer belongs to this process');
    };
    const task = new Task({ ...start, process, changed, report, resultOf });
    const expired = () => {
      this.#remove(running);
      task.abandon('The task has expired');
    };
    const running: Running = {
      task,
      saver: new TaskSaver(task, { store, process, refused, report }),
      expiry: new ExpiryTimer(expired),
      share,
      stopReceiving: () => {},
    };
    this.#running.set(task.id, running);
    inFlight.add(share.bytes);
    this.#shares.add(share.client);
    running.expiry.set(task.expires);
    return running;
  }

  #remove(running: Running): void {
    if (this.#running.get(running.task.id) !== running) return;
    this.#running.delete(running.task.id);
    this.#options.inFlight.remove(running.share.bytes);
    this.#shares.remove(running.share.client);
    running.expiry.stop();
    running.stopReceiving();
  }

  async #receive(running: Running): Promise<void> {
    const { task } = running;
    const { store, report } = this.#options;
    const stop = await store.receive(task.id, {
      message: (message) => task.take(message),
      lost: (reason) => {
        if (!task.hasEnded) report(reason, `messages to task ${task.id}`);
      },
    });
    if (this.#running.get(task.id) === running) running.stopReceiving = stop;
    else stop();
  }

  /** The process that ran the task has died: continues the task if that is allowed, and ends it otherwise. */
  async #abandoned(id: string): Promise<void> {
    const { store } = this.#options;
    const record = await store.find(id);
    if (record === undefined || hasEnded(record.task.status)) return;
    const { restart } = record;
    if (restart !== undefined && restart.attempt < MAX_ATTEMPTS) {
      const work = this.works.find(restart.work, restart.input);
      if (work !== undefined) {
        await this.#takeOver(record, work);
        return;
      }
      // Another process may have the work.
      if (this.#leaveAlone(id)) return;
    }
    await store.save(id, { ...record, task: failedTask(record.task) }, record.process);
  }

  async #takeOver(record: TaskRecord, work: TaskWork): Promise<void> {
    const { task: before, startedBy, restart, expires } = record;
    if (restart === undefined || this.#running.has(before.taskId)) return;
    if (this.#running.size >= this.#options.maxTasks) return;
    const start: TaskStart = {
      id: before.taskId,
      created: expires - before.ttlMs,
      ttlMs: before.ttlMs,
      pollIntervalMs: before.pollIntervalMs,
      capabilities: restart.capabilities,
      tool: restart.tool,
      startedBy,
      restart: { ...restart, attempt: restart.attempt + 1 },
    };
    const running = this.#add(start, { bytes: 0, client: undefined });
    try {
      const isMine = await this.#options.store.save(before.taskId, running.task.record(), record.process);
      if (!isMine) {
        this.#remove(running);
        return;
      }
      await this.#receive(running);
    } catch (error) {
      this.#remove(running);
      throw error;
    }
    running.task.run(work);
  }

  #leaveAlone(id: string): boolean {
    const times = (this.#leftAlone.get(id) ?? 0) + 1;
    this.#leftAlone.set(id, times);
    if (times <= MAX_LEFT_ALONE) return true;
    this.#leftAlone.delete(id);
    return false;
  }
}

function failedTask(task: TaskDetails): TaskDetails {
  const { inputRequests: _asked, ...rest } = task;
  const error = { code: ErrorCode.InternalError, message: `Internal error: ${DIED}` };
  return { ...rest, status: 'failed', statusMessage: DIED, lastUpdatedAt: new Date().toISOString(), error };
}
