import { afterEach, vi } from 'vitest';
import type { InputRequest } from '../src/protocol/stateless.ts';
import type { ToolOutcome } from '../src/server/features/tools.ts';
import { Server } from '../src/server/server.ts';
import type { ServerOptions } from '../src/server/server-options.ts';
import type { TaskContext, TaskWork } from '../src/server/tasks/task.ts';
import type { TaskOptions } from '../src/server/tasks/tasks.ts';
import type { Json } from './json.ts';
import { Mailbox } from './mailbox.ts';
import { type RawWire, TASKS } from './raw-wire.ts';

export const INFO = { name: 'test', version: '1.2.3' };
export const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': INFO };
export const FULL = { ...TASKS, elicitation: {}, sampling: {}, roots: {} };
export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

export const accept = (name: unknown) => ({ action: 'accept', content: { name } });
export const form = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: FORM },
});
export const text = (value: string) => [{ type: 'text', text: value }];

afterEach(() => {
  vi.useRealTimers();
});

/** A task that the test finishes when it likes. */
export interface Running extends TaskContext {
  finish(outcome?: ToolOutcome): void;
  fail(reason: unknown): void;
}

/** A server whose tool `work` runs as a task that is the test's to finish. */
export function makeServer(options: ServerOptions = {}, taskOptions: TaskOptions = {}) {
  const server = new Server(INFO, { tasks: {}, ...options });
  const running = new Mailbox<Running>();
  const work: TaskWork = (context) => {
    return new Promise((finish, fail) => running.put({ ...context, finish, fail }));
  };
  server.tool({ name: 'work' }, (_args, context) => context.task(work, taskOptions));
  return { server, running };
}

export function serverWith(work: TaskWork, options: ServerOptions = {}): Server {
  const server = new Server(INFO, { tasks: {}, ...options });
  server.tool({ name: 'work' }, (_args, context) => context.task(work));
  return server;
}

export const start = async (wire: RawWire) => (await wire.call('work', {}, FULL)).result;
export const get = async (wire: RawWire, taskId: string): Promise<Json> => {
  const { result, error } = await wire.ask('tasks/get', { taskId }, FULL);
  return result ?? { error };
};
export const update = (wire: RawWire, taskId: string, inputResponses: unknown) =>
  wire.ask('tasks/update', { taskId, inputResponses }, FULL);
export const cancel = (wire: RawWire, taskId: string) => wire.ask('tasks/cancel', { taskId }, FULL);

/** Looks at a task until it is in a state; before every look it can go on for a turn. */
export async function until(wire: RawWire, taskId: string, status: string): Promise<Json> {
  for (let n = 0; n < 1000; n += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    const task = await get(wire, taskId);
    if (task.status === status) return task;
  }
  throw new Error(`The task is still not ${status}`);
}
