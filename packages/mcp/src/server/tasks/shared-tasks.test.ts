import { describe, expect, it } from 'vitest';
import type { Json } from '../../../testing/json.ts';
import { Mailbox } from '../../../testing/mailbox.ts';
import { RawHttp } from '../../../testing/raw-http.ts';
import { openMemory, stateless, TASKS } from '../../../testing/raw-wire.ts';
import { closeAfterwards } from '../../../testing/serve.ts';
import { sharedStores } from '../../../testing/shared-stores.ts';
import { slowTaskStore } from '../../../testing/slow-task-store.ts';
import type { Authorize } from '../../transports/authorization.ts';
import { serveHttp } from '../../transports/http/server/node/serve.ts';
import type { ErrorHandler } from '../error-report.ts';
import type { ToolOutcome } from '../features/tools.ts';
import { Server } from '../server.ts';
import { memoryTaskStore } from './stores/memory.ts';
import type { TaskContext } from './task.ts';
import { record } from './task-store.contract.ts';
import type { Stop, TaskRecord, TaskStore } from './task-store.ts';

const INFO = { name: 'test', version: '1.2.3' };
const FULL = { ...TASKS, elicitation: {}, roots: {} };
const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const accept = (name: unknown) => ({ action: 'accept', content: { name } });

interface Running extends TaskContext {
  finish(outcome?: ToolOutcome): void;
}

/** A process with a server of its own; its tasks are the test's to finish. */
/** The name in a token like `ada` or `ada:refreshed`. */
const byName: Authorize = ({ headers }) => {
  const name = /^Bearer (\w+)/.exec(String(headers.authorization))?.[1];
  return { id: name ?? 'anonymous' };
};

function node(store: TaskStore, onError?: ErrorHandler) {
  const server = new Server(INFO, { tasks: { store }, ...(onError && { onError }) });
  const running = new Mailbox<Running>();
  server.tool({ name: 'work' }, (_args, context) =>
    context.task((task) => new Promise<ToolOutcome>((finish) => running.put({ ...task, finish }))),
  );
  return { store, server, running, wire: openMemory(server) };
}

describe.each(await sharedStores())('processes that share a store in %s', (_name, share) => {
  /** A task that one process works on, and a connection to another. */
  const begin = async () => {
    const process = share();
    const [one, two] = [node(process().tasks), node(process().tasks)];
    const { result } = await one.wire.call('work', {}, FULL);
    const ask = (method: string, more: object = {}) =>
      two.wire.ask(method, { taskId: result.taskId, ...more }, FULL) as Promise<Json>;
    const until = async (status: string) => {
      for (let n = 0; n < 1000; n += 1) {
        const { result: task } = await ask('tasks/get');
        if (task.status === status) return task;
      }
      throw new Error(`The task is still not ${status}`);
    };
    return { one, two, created: result, taskId: result.taskId as string, task: await one.running.take(), ask, until };
  };

  it('can each be asked how a task stands, and for its result', async () => {
    const { created, task, ask, until } = await begin();
    expect((await ask('tasks/get')).result).toEqual({ ...created, resultType: 'complete' });
    task.report('Half way');
    task.finish('done');
    const completed = await until('completed');
    expect(completed).toMatchObject({ statusMessage: 'Half way', result: { content: [{ text: 'done' }] } });
  });

  it('can each take the responses to its questions, and refuse those that do not fit', async () => {
    const { one, taskId, task, ask, until } = await begin();
    const asking = task.questions.elicit({ message: 'Who?', requestedSchema: FORM });
    const { inputRequests } = await until('input_required');
    expect(Object.keys(inputRequests)).toEqual(['elicitation']);
    const wrong = await ask('tasks/update', { inputResponses: { elicitation: accept(5) } });
    expect(wrong).toMatchObject({ error: { code: -32602 } });
    const update = { inputResponses: { elicitation: accept('Ada'), unknown: 1, ['__proto__']: 1 } };
    expect(await ask('tasks/update', update)).toMatchObject({ result: { resultType: 'complete' } });
    expect(await asking).toEqual(accept('Ada'));
    // A second response may be under way when the first is taken: it changes nothing.
    const saved = new Mailbox<TaskRecord>();
    await one.store.watch(taskId, { changed: saved.put, expired: () => {}, lost: () => {} });
    await one.store.send(taskId, { kind: 'responses', responses: update.inputResponses });
    await ask('tasks/update', update);
    task.finish('done');
    await until('completed');
    expect((await saved.take()).task.status).toBe('completed');
  });

  it('can each cancel it', async () => {
    const { task, ask, until } = await begin();
    const aborted = new Promise((resolve) => task.signal.addEventListener('abort', resolve));
    expect(await ask('tasks/cancel')).toMatchObject({ result: { resultType: 'complete' } });
    await aborted;
    await until('cancelled');
  });

  it('each tell those who subscribed to it', async () => {
    const { two, taskId, task } = await begin();
    const listen = stateless('subscriptions/listen', { notifications: { taskIds: [taskId, 'unknown'] } }, FULL);
    two.wire.send(listen);
    expect((await two.wire.next()).params).toMatchObject({ notifications: { taskIds: [taskId] } });
    task.report('Half way');
    expect(await two.wire.next()).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, statusMessage: 'Half way', _meta: { 'io.modelcontextprotocol/subscriptionId': listen.id } },
    });
    task.finish('done');
    expect((await two.wire.next()).params).toMatchObject({ status: 'completed' });
  });

  it('tell of what happens while it is looked up whether a client may hear of it', async () => {
    const { one, taskId, task } = await begin();
    const looked = new Mailbox<() => void>();
    // A third process, whose look at a task waits for the test.
    const found = one.store.find(taskId);
    const third = node({
      ...one.store,
      find: () => new Promise((resolve) => looked.put(() => resolve(found))),
    });
    third.wire.send(stateless('subscriptions/listen', { notifications: { taskIds: [taskId] } }, FULL));
    const go = await looked.take();
    task.finish('done');
    go();
    expect((await third.wire.next()).method).toBe('notifications/subscriptions/acknowledged');
    expect((await third.wire.next()).params).toMatchObject({ taskId, status: 'completed' });
  });

  it('leave a task that is done to be looked at when the process that worked on it has gone', async () => {
    const { one, task, ask, until } = await begin();
    task.finish('done');
    await until('completed');
    await one.server.close();
    expect((await ask('tasks/get')).result).toMatchObject({ status: 'completed' });
  });

  it('show it only to the principal that started it, also after its token was refreshed', async () => {
    const process = share();
    const serve = async () => {
      const { server } = node(process().tasks);
      const listener = await serveHttp(server, { authorize: byName });
      closeAfterwards(() => listener.close());
      return new RawHttp({ port: listener.port });
    };
    const [one, two] = [await serve(), await serve()];
    const ask = async (http: RawHttp, method: string, name: string, authorization?: string): Promise<Json> => {
      const params = method === 'tools/call' ? { name } : { taskId: name };
      const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, 'Mcp-Name': name };
      const response = await http.post(stateless(method, params, FULL), { ...headers, Authorization: authorization });
      return response.json();
    };
    const { result } = await ask(one, 'tools/call', 'work', 'Bearer ada');
    const { taskId } = result;
    for (const http of [one, two]) {
      for (const token of ['Bearer ada', 'Bearer ada:refreshed']) {
        expect(await ask(http, 'tasks/get', taskId, token)).toMatchObject({ result: { status: 'working' } });
      }
      expect(await ask(http, 'tasks/get', taskId, 'Bearer bob')).toMatchObject({ error: { code: -32602 } });
      expect(await ask(http, 'tasks/get', taskId)).toMatchObject({ error: { code: -32602 } });
    }
    const { startedBy } = (await process().tasks.find(taskId)) ?? {};
    expect(startedBy).toMatch(/^[\w-]{43}$/); // a digest: the store must not learn who it is
  });
});

describe('a subscription', () => {
  it("tells nothing of tasks that are others'", async () => {
    const store = memoryTaskStore();
    const foreign = { ...record('foreign'), startedBy: 'another principal' };
    store.create('foreign', foreign);
    store.create('own', record('own'));
    const { wire } = node(store);
    wire.send(stateless('subscriptions/listen', { notifications: { taskIds: ['foreign', 'own'] } }, FULL));
    expect((await wire.next()).params.notifications.taskIds).toEqual(['own']);
    store.save('foreign', foreign, foreign.process);
    store.save('own', record('own', 'completed'), foreign.process);
    expect((await wire.next()).params).toMatchObject({ taskId: 'own' });
  });

  it('is to a limited number of tasks', async () => {
    const store = memoryTaskStore({ maxTasks: 2000 });
    const taskIds = Array.from({ length: 1100 }, (_, index) => `task-${index}`);
    for (const id of taskIds) store.create(id, record(id));
    const { wire } = node(store);
    wire.send(stateless('subscriptions/listen', { notifications: { taskIds } }, FULL));
    expect((await wire.next()).params.notifications.taskIds).toEqual(taskIds.slice(0, 1000));
  });
});

describe('no listener is left', () => {
  /** A store that counts who listens. */
  const counting = () => {
    const store = memoryTaskStore();
    const listening = { receive: 0, watch: 0 };
    const counted =
      <T>(kind: 'receive' | 'watch', add: (id: string, listener: T) => Stop) =>
      (id: string, listener: T) => {
        const stop = add(id, listener) as () => void; // memory returns no promises
        listening[kind] += 1;
        return () => {
          listening[kind] -= 1;
          stop();
        };
      };
    return {
      listening,
      store: { ...store, receive: counted('receive', store.receive), watch: counted('watch', store.watch) },
    };
  };

  it('for a task that is over, or that could not be started', async () => {
    const { listening, store } = counting();
    const { wire, running } = node(store);
    await wire.call('work', {}, FULL);
    const { finish } = await running.take();
    expect(listening.receive).toBe(1);
    finish('done');
    await new Promise((resolve) => setImmediate(resolve));
    expect(listening.receive).toBe(0);
    const failing = node({ ...store, create: () => Promise.reject(new Error('The store is gone')) });
    await failing.wire.call('work', {}, FULL);
    expect(listening.receive).toBe(0);
  });

  it('for a subscription that the client has cancelled, or that ended with the server', async () => {
    const { listening, store } = counting();
    store.create('own', record('own'));
    const { wire, server } = node(store);
    const listen = () => stateless('subscriptions/listen', { notifications: { taskIds: ['own'] } }, FULL);
    const first = listen();
    wire.send(first);
    await wire.next();
    expect(listening.watch).toBe(1);
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: first.id } });
    wire.send(listen());
    await wire.next();
    expect(listening.watch).toBe(1);
    await server.close();
    expect(listening.watch).toBe(0);
  });
});

describe('a store of tasks that fails', () => {
  const failing = (part: Partial<TaskStore>): TaskStore => ({ ...slowTaskStore(memoryTaskStore()), ...part });
  const lost = () => Promise.reject(new Error('The store is gone'));

  it('fails the call that would start a task, and the work is not begun', async () => {
    const { wire, running } = node(failing({ create: lost }));
    expect((await wire.call('work', {}, FULL)).result).toMatchObject({
      isError: true,
      content: [{ text: 'The store is gone' }],
    });
    await new Promise((resolve) => setImmediate(resolve)); // when it would have begun
    expect(running.rest).toEqual([]);
  });

  it('in the background is reported with what failed, and the work goes on', async () => {
    const store = slowTaskStore();
    let isBack = false;
    const save: TaskStore['save'] = (...args) => (isBack ? store.save(...args) : lost());
    const errors = new Mailbox<string>();
    const onError: ErrorHandler = ({ message }, { what }) => errors.put(`${what}: ${message}`);
    const { wire, running } = node({ ...store, save }, onError);
    const { result } = await wire.call('work', {}, FULL);
    const { report, signal } = await running.take();
    report('Half way');
    expect(await errors.take()).toBe(`saving task ${result.taskId}: The store is gone`);
    expect(signal.aborted).toBe(false);
    isBack = true;
    await expect.poll(async () => (await store.find(result.taskId))?.task.statusMessage).toBe('Half way');
  });

  it('is reported when a task is read, and the client gets an error', async () => {
    const errors: string[] = [];
    const { wire } = node(failing({ find: lost }), (_error, { what }) => errors.push(what));
    expect(await wire.ask('tasks/get', { taskId: 'x' }, FULL)).toMatchObject({ error: { code: -32603 } });
    expect(errors).toEqual(['reading task x']);
  });
});
