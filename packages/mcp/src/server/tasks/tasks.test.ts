import { describe, expect, it, vi } from 'vitest';
import { openMemory, request, stateless, TASKS, WIRES } from '../../../testing/raw-wire.ts';
import {
  accept,
  cancel,
  FORM,
  FULL,
  form,
  get,
  INFO,
  ISO,
  makeServer,
  type Running,
  SERVER_INFO,
  serverWith,
  start,
  text,
  until,
  update,
} from '../../../testing/task-server.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { Server } from '../server.ts';

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

  it('asks through itself, gets the responses by updates, and goes on', async () => {
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
  it('only for a request that declares the extension; others get their response when the work is done', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    for (const capabilities of [{}, { extensions: {} }, { tasks: {} }, { extensions: { 'example.com/x': {} } }]) {
      const pending = wire.call('work', {}, capabilities);
      (await running.take()).finish('at once');
      expect((await pending).result).toMatchObject({ resultType: 'complete', content: text('at once') });
    }
    expect(await start(wire)).toMatchObject({ resultType: 'task' });
    await running.take();
    await wire.initialize(FULL);
    const pending = wire.responseTo(request('tools/call', { name: 'work' }));
    (await running.take()).finish('in a session');
    expect((await pending).result).toEqual({ content: text('in a session') });
  });

  it('also when the client asks for none: there is no hint', async () => {
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
    expect(await wire.responseTo(request('tools/call', { name: 'work' }))).toMatchObject({ result: { isError: true } });
  });

  it('by a server that declares it, in 2026-07-28 only', async () => {
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
    const { result } = await wire.responseTo(call);
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: call.id } });
    expect((await running.take()).signal.aborted).toBe(false);
    expect(await get(wire, result.taskId)).toMatchObject({ status: 'working' });
  });

  it('that fails as tools fail is completed; one that fails with an RpcError has failed', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const unreadable = new Proxy(new RpcError(1, 'x'), {
      get: () => {
        throw new Error('unreadable');
      },
    });
    const outcomes: [(task: Running) => void, object][] = [
      [({ fail }) => fail(new Error('no such file')), { content: text('no such file'), isError: true }],
      [({ fail }) => fail(undefined), { content: text('The tool failed and gave no reason'), isError: true }],
      [({ fail }) => fail(unreadable), { content: text('no readable reason given'), isError: true }],
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
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const { server, running } = makeServer({ tasks: { ttlMs: 10_000 } });
    const wire = openMemory(server);
    const [finished, unfinished] = [await start(wire), await start(wire)];
    vi.advanceTimersByTime(1); // when their work begins
    expect(finished.ttlMs).toBe(10_000);
    (await running.take()).finish('done');
    const { signal } = await running.take();
    await until(wire, finished.taskId, 'completed');
    vi.advanceTimersByTime(9999);
    expect(await get(wire, finished.taskId)).toMatchObject({ status: 'completed' });
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(2);
    for (const { taskId } of [finished, unfinished]) {
      expect(await get(wire, taskId)).toMatchObject({ error: { code: -32602 } });
    }
    expect(signal.aborted).toBe(true);
  });

  it('is one of a limited number: more are refused until one has ended', async () => {
    const { server, running } = makeServer({ tasks: { maxTasks: 2 } });
    const wire = openMemory(server);
    const [one, two] = [await start(wire), await start(wire)];
    expect(await wire.call('work', {}, FULL)).toMatchObject({
      error: { code: -32000, message: 'Task limit reached (2 unfinished). Try again when one has ended.' },
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

describe('the outputSchema of a tool', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

  it('holds for what its task returns', async () => {
    const reported: string[] = [];
    const server = new Server(INFO, {
      tasks: {},
      onError: (error, { what }) => reported.push(`${what}: ${error.message}`),
    });
    let content: object = { n: 'one' };
    server.tool({ name: 'work', outputSchema }, (_args, { task }) =>
      task(() => ({ structuredContent: content as never })),
    );
    const wire = openMemory(server);
    const problem = 'tool work does not match its outputSchema: structuredContent.n: expected number, got string';
    const failed = await until(wire, (await start(wire)).taskId, 'failed');
    expect(failed.error).toEqual({ code: -32603, message: `Internal error: ${problem}` });
    expect(reported).toEqual([`tool work: ${problem}`]);
    content = { n: 1 };
    const completed = await until(wire, (await start(wire)).taskId, 'completed');
    expect(completed.result.structuredContent).toEqual({ n: 1 });
  });
});
