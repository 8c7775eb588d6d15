import { describe, expect, it } from 'vitest';
import type { Json } from '../../../testing/json.ts';
import { Mailbox } from '../../../testing/mailbox.ts';
import { openMemory, stateless, TASKS } from '../../../testing/raw-wire.ts';
import { closeAfterwards } from '../../../testing/serve.ts';
import { type ProcessStores, sharedStores } from '../../../testing/shared-stores.ts';
import type { ToolOutcome } from '../features/tools.ts';
import { Server } from '../server.ts';
import type { TaskContext } from './task.ts';

const INFO = { name: 'test', version: '1.2.3' };
const FULL = { ...TASKS, elicitation: {}, roots: {} };
const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const accept = (name: string) => ({ action: 'accept', content: { name } });
const LEASE_MS = 600;
/** Long, for a busy machine. */
const MAX_WAIT_MS = 10_000;

interface Running extends TaskContext {
  readonly input: unknown;
  finish(outcome?: ToolOutcome): void;
}

/** A process that can be killed: what it then asks of the store never gets a response, and it is not called. */
function process({ tasks: store }: ProcessStores) {
  let isDead = false;
  let hang: Promise<void> = Promise.resolve();
  let wake = () => {};
  const unlessDead =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A) =>
      (isDead ? hang.then(() => call(...args)) : call(...args)) as R;
  const stops: (() => void)[] = [];
  const server = new Server(INFO, {
    tasks: {
      leaseMs: LEASE_MS,
      store: {
        create: unlessDead(store.create),
        save: unlessDead(store.save),
        find: unlessDead(store.find),
        watch: unlessDead(store.watch),
        send: unlessDead(store.send),
        receive: async (id, receiver) => {
          const stop = await store.receive(id, receiver);
          stops.push(stop);
          return stop;
        },
        renew: unlessDead(store.renew),
        abandoned: unlessDead(store.abandoned),
      },
    },
  });
  closeAfterwards(() => server.close());
  const running = new Mailbox<Running>();
  const work = (input: unknown, task: TaskContext) =>
    new Promise<ToolOutcome>((finish) => running.put({ ...task, input, finish }));
  server.tool({ name: 'work' }, (args, context) => context.task((task) => work(args, task)));
  const restartable = server.restartableTask('restartable', work);
  server.tool({ name: 'restartable' }, (args, context) => context.task(restartable(args)));
  return {
    server,
    running,
    wire: openMemory(server),
    kill: () => {
      isDead = true;
      hang = new Promise((resolve) => {
        wake = resolve;
      });
      for (const stop of stops) stop();
    },
    /** As if it had only been suspended. */
    wake: () => {
      isDead = false;
      wake();
    },
  };
}

describe.each(await sharedStores())('in a store in %s', (_name, share) => {
  async function begun(tool: string) {
    const open = share();
    const [one, two] = [process(open()), process(open())];
    const { result } = await one.wire.call(tool, { arguments: { n: 1 } }, FULL);
    const taskId = result.taskId as string;
    const ask = (method: string, more: object = {}) => two.wire.ask(method, { taskId, ...more }, FULL) as Promise<Json>;
    const until = (status: string) =>
      expect.poll(async () => (await ask('tasks/get')).result.status, { timeout: MAX_WAIT_MS }).toBe(status);
    return { one, two, taskId, created: result, task: await one.running.take(), ask, until };
  }

  describe('a task whose process has died', () => {
    it('fails within its lease, says why, and tells those who subscribed to it', async () => {
      const { one, two, taskId, ask, until } = await begun('work');
      two.wire.send(stateless('subscriptions/listen', { notifications: { taskIds: [taskId] } }, FULL));
      expect((await two.wire.next()).method).toBe('notifications/subscriptions/acknowledged');
      one.kill();
      const notification = await two.wire.next();
      expect(notification).toMatchObject({
        method: 'notifications/tasks',
        params: { taskId, status: 'failed', statusMessage: 'The process that ran this task has died' },
      });
      await until('failed');
      expect((await ask('tasks/get')).result).toMatchObject({
        error: { code: -32603, message: 'Internal error: The process that ran this task has died' },
      });
    });

    it('takes no cancellation and no responses: the client learns that no process works on it', async () => {
      const { one, task, ask, until } = await begun('work');
      void task.questions.elicit({ message: 'Who?', requestedSchema: FORM }).catch(() => {});
      await until('input_required');
      one.kill();
      const message = expect.stringMatching(/^No process works on task .* now\. The task fails, .* within 1 s\.$/);
      expect(await ask('tasks/cancel')).toMatchObject({ error: { code: -32603, message } });
      const update = { inputResponses: { elicitation: accept('Ada') } };
      expect(await ask('tasks/update', update)).toMatchObject({ error: { code: -32603, message } });
      await until('failed');
      expect((await ask('tasks/get')).result).not.toHaveProperty('inputRequests');
      expect(await ask('tasks/cancel')).toMatchObject({ result: {} });
    });

    it('stays failed when the process was only suspended, and its work is aborted there', async () => {
      const { one, task, ask, until } = await begun('work');
      one.kill();
      await until('failed');
      one.wake();
      task.finish('too late');
      task.report('too late');
      await expect.poll(() => one.wire.ask('tasks/get', { taskId: 'x' }, FULL)).toMatchObject({ error: {} });
      expect((await ask('tasks/get')).result).toMatchObject({ status: 'failed' });
      const again = await begun('work');
      again.one.kill();
      await again.until('failed');
      again.one.wake();
      again.task.report('still here');
      await expect.poll(() => again.task.signal.aborted).toBe(true);
    });
  });

  describe('a restartable task', () => {
    it('is continued by another process under the same id, with the same input', async () => {
      const { one, two, created, task, ask, until } = await begun('restartable');
      void task.questions.elicit({ message: 'Who?', requestedSchema: FORM }).catch(() => {});
      await until('input_required');
      one.kill();
      const restarted = await two.running.take();
      expect(restarted.input).toEqual({ n: 1 });
      await until('working');
      expect((await ask('tasks/get')).result).toMatchObject({ taskId: created.taskId, createdAt: created.createdAt });
      const asking = restarted.questions.elicit({ message: 'Who?', requestedSchema: FORM });
      await until('input_required');
      const { inputRequests } = (await ask('tasks/get')).result;
      expect(Object.keys(inputRequests)).toEqual(['elicitation.2']);
      await ask('tasks/update', { inputResponses: { 'elicitation.2': accept('Ada') } });
      expect(await asking).toEqual(accept('Ada'));
      restarted.finish('done');
      await until('completed');
      one.wake();
      task.finish('too late');
      await expect
        .poll(() => one.wire.ask('tasks/get', { taskId: created.taskId }, FULL))
        .toMatchObject({ result: {} });
      expect((await ask('tasks/get')).result).toMatchObject({ result: { content: [{ text: 'done' }] } });
    });

    it('is continued by another process when its own closes', async () => {
      const { one, two, task, until } = await begun('restartable');
      await one.server.close();
      expect(task.signal.aborted).toBe(true);
      (await two.running.take()).finish('done');
      await until('completed');
    });

    it('is begun three times at most', async () => {
      const open = share();
      const first = process(open());
      const { result } = await first.wire.call('restartable', {}, FULL);
      let runner = first;
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        await runner.running.take();
        runner.kill();
        runner = process(open());
      }
      const status = async () => (await runner.wire.ask('tasks/get', { taskId: result.taskId }, FULL)).result.status;
      await expect.poll(status, { timeout: MAX_WAIT_MS }).toBe('failed');
      expect(runner.running.rest).toEqual([]);
    });

    it('runs within its request for clients that do not know tasks', async () => {
      const { wire, running } = process(share()());
      const response = wire.call('restartable', { arguments: { n: 2 } }, {});
      const { input, finish } = await running.take();
      expect(input).toEqual({ n: 2 });
      finish('done');
      expect((await response).result).toMatchObject({ content: [{ text: 'done' }] });
    });

    it('has a name of its own', () => {
      const { server } = process(share()());
      expect(() => server.restartableTask('restartable', () => 'x')).toThrow(
        'There is already restartable work called restartable',
      );
    });
  });
});

describe('the expiry of a task', () => {
  it('is sent to those who subscribed to it, and aborts its work', async () => {
    const server = new Server(INFO, { tasks: { ttlMs: 200 } });
    const running = new Mailbox<TaskContext>();
    server.tool({ name: 'work' }, (_args, context) =>
      context.task((task) => {
        running.put(task);
        return new Promise(() => {});
      }),
    );
    const wire = openMemory(server);
    const { result } = await wire.call('work', {}, FULL);
    const { signal } = await running.take();
    wire.send(stateless('subscriptions/listen', { notifications: { taskIds: [result.taskId] } }, FULL));
    expect((await wire.next()).method).toBe('notifications/subscriptions/acknowledged');
    expect((await wire.next()).params).toMatchObject({
      taskId: result.taskId,
      status: 'failed',
      statusMessage: 'The task has expired: it was not finished within 200 ms',
    });
    await expect.poll(() => signal.aborted).toBe(true);
    expect(await wire.ask('tasks/get', { taskId: result.taskId }, FULL)).toMatchObject({ error: { code: -32602 } });
  });
});
