import { tag } from '../../../../redis/keys.ts';

/** Tasks are spread over this many slots of a cluster, each with an index of its unfinished tasks. */
export const SLOTS = 16;

/** What a slot has. Its names share a node of a cluster. */
export interface SlotKeys {
  readonly slot: string;
  readonly processes: string;
  tasksOf(process: string): string;
}

/** The names that Redis has for the parts of a task, and those of its slot. */
export interface TaskKeys extends SlotKeys {
  readonly task: string;
  /** The channel of its records. */
  readonly records: string;
  /** The channel of messages to it. */
  readonly messages: string;
}

export function slotKeys(prefix: string, number: number): SlotKeys {
  const slot = `${prefix}:${tag(`tasks-${number}`)}`;
  return { slot, processes: `${slot}:processes`, tasksOf: (process) => `${slot}:tasks-of:${process}` };
}

export function taskKeys(prefix: string, id: string): TaskKeys {
  const keys = slotKeys(prefix, numberOf(id));
  const task = `${keys.slot}:task:${id}`;
  return { ...keys, task, records: `${task}:records`, messages: `${task}:messages` };
}

function numberOf(id: string): number {
  let sum = 0;
  for (let n = 0; n < id.length; n += 1) sum = (31 * sum + id.charCodeAt(n)) >>> 0;
  return sum % SLOTS;
}
