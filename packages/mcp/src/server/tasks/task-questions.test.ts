import { describe, expect, it, vi } from 'vitest';
import { openMemory, stateless, TASKS } from '../../../testing/raw-wire.ts';
import {
  accept,
  cancel,
  FORM,
  FULL,
  form,
  get,
  makeServer,
  SERVER_INFO,
  serverWith,
  start,
  text,
  until,
  update,
} from '../../../testing/task-server.ts';
import { RpcError } from '../../jsonrpc/errors.ts';

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

  it('withdraws its questions: waiting for a response rejects', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const { taskId } = await start(wire);
    const { questions } = await running.take();
    const asking = questions.elicit({ message: 'Who?', requestedSchema: FORM });
    const outcome = asking.then(
      () => 'responded',
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
  it('may get some responses first: it waits for the rest, then goes on', async () => {
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

  it('ignore responses that no question waits for', async () => {
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

  it('refuse responses of the wrong shape, all of them, and stay open', async () => {
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
  it('reach its subscribers: each is the whole task', async () => {
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
    const sent = [];
    for (let n = wire.rest.length; n > 0; n -= 1) sent.push(await wire.next());
    expect(sent.map(({ method }) => method)).toEqual(Array(4).fill('notifications/tasks'));
    expect(sent.map(({ params }) => params.status)).toEqual(['working', 'input_required', 'working', 'completed']);
    for (const { params } of sent) {
      expect(params).toMatchObject({
        taskId: mine.taskId,
        createdAt: mine.createdAt,
        ttlMs: 3_600_000,
        _meta: { 'io.modelcontextprotocol/subscriptionId': listen.id },
      });
      expect(Object.keys(params)).not.toContain('resultType');
    }
    expect(sent[1].params.inputRequests).toEqual({ elicitation: form('Who?') });
    expect(sent[3].params.result).toEqual({ content: text('done') });
    expect(await get(wire, other.taskId)).toMatchObject({ statusMessage: 'unheard' });
  });

  it('report failure and cancellation too', async () => {
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
