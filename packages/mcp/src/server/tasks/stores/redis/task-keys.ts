import { tag } from '../../../../redis/keys.ts';

/** Tasks are spread over this many slots of a cluster, each with an index of its unfinished tasks. */
export const SLOTS = 16;

/** The names that Redis has for the parts of a task. They share a node of a cluster. */
export class TaskKeys {
  readonly task: string;
  readonly processes: string;
  /** The channel of its records. */
  readonly records: string;
  /** The channel of messages to it. */
  readonly messages: string;
  readonly #slot: string;

  constructor(prefix: string, id: string) {
    this.#slot = slotOf(prefix, numberOf(id));
    this.task = `${this.#slot}:task:${id}`;
    this.processes = `${this.#slot}:processes`;
    this.records = `${this.task}:records`;
    this.messages = `${this.task}:messages`;
  }

  tasksOf(process: string): string {
    return tasksOf(this.#slot, process);
  }
}

export interface SlotKeys {
  readonly processes: string;
  tasksOf(process: string): string;
}

export function slotKeys(prefix: string, number: number): SlotKeys {
  const slot = slotOf(prefix, number);
  return { processes: `${slot}:processes`, tasksOf: (process) => tasksOf(slot, process) };
}

function slotOf(prefix: string, number: number): string {
  return `${prefix}:${tag(`tasks-${number}`)}`;
}

function tasksOf(slot: string, process: string): string {
  return `${slot}:tasks-of:${process}`;
}

function numberOf(id: string): number {
  let sum = 0;
  for (let n = 0; n < id.length; n += 1) sum = (31 * sum + id.charCodeAt(n)) >>> 0;
  return sum % SLOTS;
}
