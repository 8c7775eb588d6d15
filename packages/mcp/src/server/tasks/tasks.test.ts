import { afterEach, describe, expect, it, vi } from 'vitest';
import { Mailbox } from '../../../testing/mailbox.ts';
import { type Json, openMemory, type RawWire, request, stateless, TASKS, WIRES } from '../../../testing/raw-wire.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import type { InputRequest } from '../../protocol/stateless.ts';
import type { ToolOutcome } from '../features/tool-result.ts';
import { Server, type ServerOptions } from '../server.ts';
import type { TaskContext, TaskWork } from './task.ts';
import type { TaskOptions } from './tasks.ts';

const INFO = { name: 'test', version: '1.2.3' };
const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': INFO };
const FULL = { ...TASKS, elicitation: {}, sampling: {}, roots: {} };
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

const accept = (name: unknown) => ({ action: 'accept', content: { name } });
const form = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: FORM },
});
const text = (value: string) => [{ type: 'text', text: value }];

afterEach(() => {
  vi.useRealTimers();
});

/** A task that the test finishes when it likes. */
interface Running extends TaskContext {
  finish(outcome?: ToolOutcome): void;
  fail(reason: unknown): void;
}

/** A server whose tool `work` runs as a task that is the test's to finish. */
function makeServer(options: ServerOptions = {}, taskOptions: TaskOptions = {}) {
  const server = new Server(INFO, { tasks: {}, ...options });
  const running = new Mailbox<Running>();
  const work: TaskWork = (context) => {
    return new Promise((finish, fail) => running.put({ ...context, finish, fail }));
  };
  server.tool({ name: 'work' }, (_args, context) => context.task(work, taskOptions));
  return { server, running };
}

function serverWith(work: TaskWork, options: ServerOptions = {}): Server {
  const server = new Server(INFO, { tasks: {}, ...options });
  server.tool({ name: 'work' }, (_args, context) => context.task(work));
  return server;
}

const start = async (wire: RawWire) => (await wire.call('work', {}, FULL)).result;
const get = async (wire: RawWire, taskId: string): Promise<Json> => {
  const { result, error } = await wire.ask('tasks/get', { taskId }, FULL);
  return result ?? { error };
};
const update = (wire: RawWire, taskId: string, inputResponses: unknown) =>
  wire.ask('tasks/update', { taskId, inputResponses }, FULL);
const cancel = (wire: RawWire, taskId: string) => wire.ask('tasks/cancel', { taskId }, FULL);

/** Looks at a task until it is in a state; before every look it can go on for a turn. */
async function until(wire: RawWire, taskId: string, status: string): Promise<Json> {
  for (let n = 0; n < 1000; n += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    const task = await get(wire, taskId);
    if (task.status === status) return task;
  }
  throw new Error(`The task is still not ${status}`);
}

describe.each(WIRES)('over %s, a task', (_name, open) => {
  it('stands in the place of the result, can be looked at at once, and holds the result in the end', async () => {
    const { server, running } = makeServer({}, { pollIntervalMs: 250 });
    const wire = await open(server);
    const created = await start(wire);
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[\w-]{30,}$/),
      status: 'working',
      createdAt: expect.stringMatching(ISO),
      lastUpdatedAt: expect.stringMatching(ISO),
      ttlMs: 3_600_000,
      pollIntervalMs: 250,
      _meta: SERVER_INFO,
    });
    const { taskId } = created;
    expect(await get(wire, taskId)).toEqual({ ...created, resultType: 'complete' });
    const { finish, report } = await running.take();
    report('Half way');
    expect(await get(wire, taskId)).toMatchObject({ status: 'working', statusMessage: 'Half way' });
    finish('done');
    const completed = await until(wire, taskId, 'completed');
    expect(completed.result).toEqual({ content: text('done') });
    expect(completed.resultType).toBe('complete');
    for (const absent of ['error', 'inputRequests', 'requestState', 'task']) {
      expect(Object.keys(completed)).not.toContain(absent);
    }
  });

  it('asks through itself, is answered by updates, and goes on', async () => {
    const wire = await open(
      serverWith(async ({ questions }) => {
        const { content } = await questions.elicit({ message: 'Who?', requestedSchema: FORM });
        return `Hello ${content?.name}`;
      }),
    );
    const { taskId } = await start(wire);
    const asking = await until(wire, taskId, 'input_required');
    expect(asking.inputRequests).toEqual({ elicitation: form('Who?') });
    const { result } = await update(wire, taskId, { elicitation: accept('Ada') });
    expect(result).toEqual({ resultType: 'complete', _meta: SERVER_INFO });
    expect((await until(wire, taskId, 'completed')).result).toEqual({ content: text('Hello Ada') });
    // Nothing was asked of the client but through the task.
    expect(wire.rest).toEqual([]);
  });
});

describe('a task is created', () => {
  it('only for a request that declares the extension; others are answered when the work is done', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    for (const capabilities of [{}, { extensions: {} }, { tasks: {} }, { extensions: { 'example.com/x': {} } }]) {
      const answering = wire.call('work', {}, capabilities);
      (await running.take()).finish('at once');
      expect((await answering).result).toMatchObject({ resultType: 'complete', content: text('at once') });
    }
    expect(await start(wire)).toMatchObject({ resultType: 'task' });
    await running.take();
    await wire.initialize(FULL);
    const answering = wire.answer(request('tools/call', { name: 'work' }));
    (await running.take()).finish('in a session');
    expect((await answering).result).toEqual({ content: text('in a session') });
  });

  it('whatever the client asks for: there is no hint', async () => {
    const { server } = makeServer();
    server.tool({ name: 'plain' }, () => 'plain');
    const result = (await openMemory(server).call('plain', { task: { ttl: 1000 } }, FULL)).result;
    expect(result).toMatchObject({ resultType: 'complete', content: text('plain') });
  });

  it('only by a server that offers tasks', async () => {
    const server = new Server(INFO);
    server.tool({ name: 'work' }, (_args, context) => context.task(() => 'within the request'));
    const wire = openMemory(server);
    expect((await wire.call('work', {}, FULL)).result).toMatchObject({ content: text('within the request') });
    expect(await wire.ask('tasks/get', { taskId: 'x' }, FULL)).toMatchObject({ error: { code: -32601 } });
    const { result } = await wire.ask('server/discover');
    expect(Object.keys(result.capabilities)).not.toContain('extensions');
  });

  it('or the request is refused, where the work is possible only as a task', async () => {
    const { server } = makeServer({}, { required: true });
    const wire = openMemory(server);
    expect(await wire.call('work')).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: TASKS } },
    });
    expect(await start(wire)).toMatchObject({ resultType: 'task' });
    await wire.initialize();
    expect(await wire.answer(request('tools/call', { name: 'work' }))).toMatchObject({ result: { isError: true } });
  });

  it('by a server that says so, in the new era alone', async () => {
    const { server } = makeServer();
    const wire = openMemory(server);
    const { result } = await wire.ask('server/discover');
    expect(result.capabilities.extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} });
    expect(Object.keys(result.capabilities)).not.toContain('tasks');
    const initialized = await wire.initialize();
    expect(Object.keys(initialized.result.capabilities)).not.toContain('extensions');
  });

  it('after the rounds of its request, if there are any', async () => {
    const server = new Server(INFO, { tasks: {} });
    server.tool({ name: 'work' }, async (_args, context) => {
      const { content } = await context.elicit({ message: 'Who?', requestedSchema: FORM });
      return context.task(() => `Hello ${content?.name}`);
    });
    const wire = openMemory(server);
    const first = await start(wire);
    expect(first).toMatchObject({ resultType: 'input_required' });
    const { requestState } = first;
    const second = await wire.call('work', { requestState, inputResponses: { elicitation: accept('Ada') } }, FULL);
    expect(second.result).toMatchObject({ resultType: 'task', status: 'working' });
    for (const absent of ['requestState', 'inputRequests', 'content']) {
      expect(Object.keys(second.result)).not.toContain(absent);
    }
    expect((await until(wire, second.result.taskId, 'completed')).result).toEqual({ content: text('Hello Ada') });
  });
});

describe('a task', () => {
  it('belongs to no connection', async () => {
    const { server, running } = makeServer();
    const { taskId } = await start(openMemory(server));
    const { finish } = await running.take();
    expect(await get(openMemory(server), taskId)).toMatchObject({ status: 'working' });
    finish('done');
    await until(openMemory(server), taskId, 'completed');
  });

  it('is not cancelled by cancelling the request that created it', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const call = stateless('tools/call', { name: 'work' }, FULL);
    const { result } = await wire.answer(call);
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: call.id } });
    expect((await running.take()).signal.aborted).toBe(false);
    expect(await get(wire, result.taskId)).toMatchObject({ status: 'working' });
  });

  it('that fails as tools fail is completed; one that fails with an RpcError has failed', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const outcomes: [(task: Running) => void, object][] = [
      [({ fail }) => fail(new Error('no such file')), { content: text('no such file'), isError: true }],
      [({ fail }) => fail(undefined), { content: text('The tool failed and gave no reason'), isError: true }],
      [({ finish }) => finish({ content: [], isError: true }), { content: [], isError: true }],
      [
        ({ finish }) => finish({ structuredContent: { n: 1 } }),
        { content: text('{"n":1}'), structuredContent: { n: 1 } },
      ],
      [({ finish }) => finish(undefined), { content: [] }],
    ];
    for (const [act, result] of outcomes) {
      const { taskId } = await start(wire);
      act(await running.take());
      expect((await until(wire, taskId, 'completed')).result).toEqual(result);
    }
    const { taskId } = await start(wire);
    (await running.take()).fail(new RpcError(-32050, 'for the client', { why: 1 }));
    const failed = await until(wire, taskId, 'failed');
    expect(failed).toMatchObject({
      statusMessage: 'for the client',
      error: { code: -32050, message: 'for the client', data: { why: 1 } },
    });
    expect(Object.keys(failed)).not.toContain('result');
  });

  it('whose work throws at once is a task all the same', async () => {
    const wire = openMemory(
      serverWith(() => {
        throw new Error('at once');
      }),
    );
    const { taskId, status } = await start(wire);
    expect(status).toBe('working');
    expect((await until(wire, taskId, 'completed')).result).toMatchObject({ isError: true });
  });

  it('is final once it is over, whatever its work still does', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const { taskId } = await start(wire);
    const { finish, fail, report, questions } = await running.take();
    finish('done');
    const completed = await until(wire, taskId, 'completed');
    report('still busy');
    fail(new RpcError(1, 'too late'));
    await expect(questions.listRoots()).rejects.toThrow();
    expect(await update(wire, taskId, { anything: 1 })).toMatchObject({ result: { resultType: 'complete' } });
    expect(await cancel(wire, taskId)).toMatchObject({ result: { resultType: 'complete' } });
    expect(await get(wire, taskId)).toEqual(completed);
  });

  it('that is not there is refused, after the question whether the client knows tasks', async () => {
    const { server } = makeServer();
    const wire = openMemory(server);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId: 'gate-test', inputResponses: {} };
      expect(await wire.ask(method, params)).toMatchObject({
        error: { code: -32021, data: { requiredCapabilities: TASKS } },
      });
      expect(await wire.ask(method, params, FULL)).toMatchObject({ error: { code: -32602 } });
      expect(await wire.ask(method, { inputResponses: {} }, FULL)).toMatchObject({ error: { code: -32602 } });
    }
  });

  it('can be looked at until its time is over, finished or not; then its work is aborted', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { server, running } = makeServer({ tasks: { ttlMs: 10_000 } });
    const wire = openMemory(server);
    const [finished, unfinished] = [await start(wire), await start(wire)];
    expect(finished.ttlMs).toBe(10_000);
    (await running.take()).finish('done');
    const { signal } = await running.take();
    await until(wire, finished.taskId, 'completed');
    vi.advanceTimersByTime(10_000);
    expect(await get(wire, finished.taskId)).toMatchObject({ status: 'completed' });
    vi.advanceTimersByTime(1);
    for (const { taskId } of [finished, unfinished]) {
      expect(await get(wire, taskId)).toMatchObject({ error: { code: -32602 } });
    }
    expect(signal.aborted).toBe(true);
  });

  it('is one of a limited number: further ones are refused while so many are unfinished', async () => {
    const { server, running } = makeServer({ tasks: { maxTasks: 2 } });
    const wire = openMemory(server);
    const [one, two] = [await start(wire), await start(wire)];
    expect(await wire.call('work', {}, FULL)).toMatchObject({
      error: { code: -32000, message: 'Too many tasks at once: 2 are unfinished' },
    });
    (await running.take()).finish('done');
    await until(wire, one.taskId, 'completed');
    expect(await start(wire)).toMatchObject({ resultType: 'task' });
    // The finished one made room.
    expect(await get(wire, one.taskId)).toMatchObject({ error: { code: -32602 } });
    expect(await get(wire, two.taskId)).toMatchObject({ status: 'working' });
  });

  it('ends when the server closes', async () => {
    const { server, running } = makeServer();
    await start(openMemory(server));
    const { signal } = await running.take();
    await server.close();
    expect(signal.aborted).toBe(true);
  });
});

describe('a cancelled task', () => {
  it('is acknowledged with nothing, has its signal aborted, and stays cancelled', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const { taskId } = await start(wire);
    const { signal, finish } = await running.take();
    expect(await cancel(wire, taskId)).toMatchObject({ result: { resultType: 'complete', _meta: SERVER_INFO } });
    expect(signal.aborted).toBe(true);
    finish('too late');
    const cancelled = await get(wire, taskId);
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    for (const absent of ['result', 'error', 'inputRequests']) expect(Object.keys(cancelled)).not.toContain(absent);
    const again = await cancel(wire, taskId);
    expect(again.result).toEqual({ resultType: 'complete', _meta: SERVER_INFO });
    expect(await get(wire, taskId)).toEqual(cancelled);
  });

  it('is not begun any more when it was cancelled before', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const { taskId } = await start(wire);
    await cancel(wire, taskId);
    await until(wire, taskId, 'cancelled');
    expect(running.rest).toEqual([]);
  });

  it('has its questions taken back: whoever waits for the answer hears of it', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const { taskId } = await start(wire);
    const { questions } = await running.take();
    const asking = questions.elicit({ message: 'Who?', requestedSchema: FORM });
    const outcome = asking.then(
      () => 'answered',
      (error) => error.message,
    );
    await until(wire, taskId, 'input_required');
    await cancel(wire, taskId);
    expect(await outcome).toBe('The task was cancelled');
    await expect(questions.listRoots()).rejects.toThrow('The task was cancelled');
    const cancelled = await get(wire, taskId);
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    expect(Object.keys(cancelled)).not.toContain('inputRequests');
    expect(await update(wire, taskId, { elicitation: accept('Ada') })).toMatchObject({
      result: { resultType: 'complete' },
    });
  });
});

describe('questions of a task', () => {
  it('may be answered in part: it waits for the rest, then goes on', async () => {
    const wire = openMemory(
      serverWith(async ({ questions }) => JSON.stringify(await questions.ask({ a: form('a'), b: form('b') }))),
    );
    const { taskId } = await start(wire);
    const asking = await until(wire, taskId, 'input_required');
    expect(asking.inputRequests).toEqual({ a: form('a'), b: form('b') });
    await update(wire, taskId, { a: accept('one') });
    const rest = await get(wire, taskId);
    expect(rest.status).toBe('input_required');
    expect(rest.inputRequests).toEqual({ b: form('b') });
    await update(wire, taskId, { b: accept('two') });
    expect(JSON.parse((await until(wire, taskId, 'completed')).result.content[0].text)).toEqual({
      a: accept('one'),
      b: accept('two'),
    });
  });

  it('have keys that are never used twice', async () => {
    const wire = openMemory(
      serverWith(async ({ questions }) => {
        const said = [];
        for (const message of ['1', '2']) said.push(await questions.elicit({ message, requestedSchema: FORM }));
        for (const message of ['3', '4']) said.push((await questions.ask({ own: form(message) })).own);
        return JSON.stringify(said);
      }),
    );
    const { taskId } = await start(wire);
    const keys = [];
    for (const name of ['1', '2', '3', '4']) {
      const { inputRequests } = await until(wire, taskId, 'input_required');
      const [key = ''] = Object.keys(inputRequests);
      expect(inputRequests[key].params.message).toBe(name);
      keys.push(key);
      await update(wire, taskId, { [key]: accept(name), [keys[0] ?? '']: accept(name) });
    }
    expect(new Set(keys).size).toBe(4);
    const { result } = await until(wire, taskId, 'completed');
    expect(JSON.parse(result.content[0].text)).toEqual(['1', '2', '3', '4'].map(accept));
  });

  it('ignore answers nobody asked for, whatever they are, and change nothing by them', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const wire = openMemory(serverWith(async ({ questions }) => JSON.stringify(await questions.ask({ a: form('a') }))));
    const { taskId } = await start(wire);
    const asking = await until(wire, taskId, 'input_required');
    vi.advanceTimersByTime(1000);
    for (const responses of [{}, { unknown: { ignored: true } }, { __proto__: 1, b: null }]) {
      expect(await update(wire, taskId, responses)).toMatchObject({ result: { resultType: 'complete' } });
    }
    expect(await get(wire, taskId)).toEqual(asking);
  });

  it('refuse answers of the wrong shape, all of them, and stay open', async () => {
    const wire = openMemory(
      serverWith(async ({ questions }) => JSON.stringify(await questions.ask({ a: form('a'), b: form('b') }))),
    );
    const { taskId } = await start(wire);
    await until(wire, taskId, 'input_required');
    for (const b of [5, null, accept(5), { action: 'maybe' }]) {
      expect(await update(wire, taskId, { a: accept('one'), b })).toMatchObject({ error: { code: -32602 } });
      expect(Object.keys((await get(wire, taskId)).inputRequests)).toEqual(['a', 'b']);
    }
    for (const responses of [undefined, null, 'x', 5, []]) {
      expect(await update(wire, taskId, responses)).toMatchObject({ error: { code: -32602 } });
    }
  });

  it('are put only to a client that declared, with its request, that it can be asked', async () => {
    const wire = openMemory(serverWith(async ({ questions }) => JSON.stringify(await questions.listRoots())));
    const { result } = await wire.call('work', {}, TASKS);
    expect(await until(wire, result.taskId, 'failed')).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    });
  });

  it('of a task that runs within its request are rounds', async () => {
    const wire = openMemory(serverWith(async ({ questions }) => JSON.stringify(await questions.ask({ a: form('a') }))));
    const { result } = await wire.call('work', {}, { elicitation: {} });
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { a: form('a') } });
    const { requestState } = result;
    const second = { requestState, inputResponses: { a: accept('Ada') } };
    expect(await wire.call('work', second, { elicitation: {} })).toMatchObject({ result: { resultType: 'complete' } });
  });
});

describe('notifications of a task', () => {
  it('come to those who subscribed to it: each is the whole task', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const [mine, other] = [await start(wire), await start(wire)];
    const { finish, report, questions } = await running.take();
    const listen = stateless('subscriptions/listen', { notifications: { taskIds: [mine.taskId] } }, FULL);
    wire.send(listen);
    expect(await wire.next()).toMatchObject({ params: { notifications: { taskIds: [mine.taskId] } } });
    report('Half way');
    const asking = questions.elicit({ message: 'Who?', requestedSchema: FORM });
    await update(wire, mine.taskId, { elicitation: accept('Ada') });
    await asking;
    (await running.take()).report('unheard'); // of the other
    finish('done');
    await until(wire, mine.taskId, 'completed');
    const told = [];
    for (let n = wire.rest.length; n > 0; n -= 1) told.push(await wire.next());
    expect(told.map(({ method }) => method)).toEqual(Array(4).fill('notifications/tasks'));
    expect(told.map(({ params }) => params.status)).toEqual(['working', 'input_required', 'working', 'completed']);
    for (const { params } of told) {
      expect(params).toMatchObject({
        taskId: mine.taskId,
        createdAt: mine.createdAt,
        ttlMs: 3_600_000,
        _meta: { 'io.modelcontextprotocol/subscriptionId': listen.id },
      });
      expect(Object.keys(params)).not.toContain('resultType');
    }
    expect(told[1].params.inputRequests).toEqual({ elicitation: form('Who?') });
    expect(told[3].params.result).toEqual({ content: text('done') });
    expect(await get(wire, other.taskId)).toMatchObject({ statusMessage: 'unheard' });
  });

  it('tell of failure and cancellation too', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const [failing, cancelled] = [await start(wire), await start(wire)];
    const taskIds = [failing.taskId, cancelled.taskId];
    wire.send(stateless('subscriptions/listen', { notifications: { taskIds } }, FULL));
    await wire.next();
    (await running.take()).fail(new RpcError(1, 'no'));
    expect((await wire.next()).params).toMatchObject({ status: 'failed', error: { code: 1 } });
    await cancel(wire, cancelled.taskId);
    expect((await wire.next()).params).toMatchObject({ taskId: cancelled.taskId, status: 'cancelled' });
  });
});
