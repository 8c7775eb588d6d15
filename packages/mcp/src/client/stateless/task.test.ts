import { describe, expect, it } from 'vitest';
import { connect, elicit, inputRequired, type ScriptedResponse, text } from '../../../testing/stateless-client.ts';
import { RequestTimeout, RpcError } from '../../jsonrpc/errors.ts';

describe('a call that becomes a task', () => {
  const task = (more: object) => ({
    taskId: 't-1',
    createdAt: '2026-01-01T00:00:00Z',
    ttlMs: null,
    pollIntervalMs: 10,
    ...more,
  });
  const created: ScriptedResponse = { result: task({ resultType: 'task', status: 'working' }) };

  it('is polled until it has a result', async () => {
    let polls = 0;
    const { session, asked } = await connect(({ method }) => {
      if (method === 'tools/call') return created;
      polls += 1;
      return {
        result: polls < 3 ? task({ status: 'working' }) : task({ status: 'completed', result: text('at last') }),
      };
    });
    expect(await session.callTool('slow')).toEqual(text('at last'));
    expect(asked().map(({ method }) => method)).toEqual(['tools/call', 'tasks/get', 'tasks/get', 'tasks/get']);
    expect(asked()[1]?.params).toMatchObject({ taskId: 't-1' });
  });

  it('responds to 1000 questions, and fails when it asks one more', async () => {
    const asking = async (count: number) => {
      let asked = 0;
      const { session } = await connect(
        ({ method }) => {
          if (method === 'tools/call') return created;
          if (method !== 'tasks/get') return { result: { resultType: 'complete' } };
          if (asked === count) return { result: task({ status: 'completed', result: text('done') }) };
          const keys = Array.from({ length: Math.min(100, count - asked) }, (_, n) => `${asked + n}`);
          asked += keys.length;
          return { result: task({ status: 'input_required', ...inputRequired(...keys), resultType: 'complete' }) };
        },
        { elicit },
      );
      return session.callTool('slow');
    };
    expect(await asking(1000)).toEqual(text('done'));
    await expect(asking(1001)).rejects.toThrow('The task asks more than 1000 questions');
  });

  it('gets one response to each of its questions', async () => {
    let polls = 0;
    const { session, asked } = await connect(
      ({ method }) => {
        if (method === 'tools/call') return created;
        if (method === 'tasks/update') return { result: { resultType: 'complete' } };
        polls += 1;
        const { inputRequests } = inputRequired(...(polls < 3 ? ['a', 'b'] : ['b', 'c']));
        return {
          result:
            polls < 5
              ? task({ status: 'input_required', inputRequests })
              : task({ status: 'completed', result: text('ok') }),
        };
      },
      { elicit },
    );
    await session.callTool('asks');
    const accepted = (field: string) => ({ [field]: { action: 'accept', content: { [field]: `my ${field}` } } });
    expect(asked('tasks/update').map(({ params }) => params.inputResponses)).toEqual([
      { ...accepted('a'), ...accepted('b') },
      accepted('c'),
    ]);
  });

  it.each<[string, object, unknown]>([
    [
      'fails',
      { status: 'failed', error: { code: -32603, message: 'broken', data: 1 } },
      new RpcError(-32603, 'broken', 1),
    ],
    [
      'is cancelled by the server',
      { status: 'cancelled', statusMessage: 'too late' },
      new Error('The server cancelled the task t-1: too late'),
    ],
    [
      'is completed without a result',
      { status: 'completed' },
      new Error('The server gives no outcome of the task t-1'),
    ],
  ])('rejects when it %s', async (_, end, reason) => {
    const { session, asked } = await connect(({ method }) =>
      method === 'tools/call' ? created : { result: task(end) },
    );
    await expect(session.callTool('slow')).rejects.toEqual(reason);
    expect(asked('tasks/cancel')).toEqual([]);
  });

  it('is cancelled when the call is given up', async () => {
    const stop = new AbortController();
    const { session, received, asked } = await connect(({ method }) => {
      if (method === 'tasks/get') stop.abort(new Error('enough'));
      return method === 'tools/call' ? created : { result: task({ status: 'working' }) };
    });
    await expect(session.callTool('slow', {}, { signal: stop.signal })).rejects.toThrow('enough');
    await received.until(() => asked('tasks/cancel').length === 1);
    expect(asked('tasks/cancel')[0]?.params).toMatchObject({ taskId: 't-1' });
  });

  it('is cancelled when its time is over', async () => {
    const { session, received, asked } = await connect(({ method }) =>
      method === 'tools/call' ? created : { result: task({ status: 'working' }) },
    );
    await expect(session.callTool('slow', {}, { maxTimeout: 60 })).rejects.toThrow(RequestTimeout);
    await received.until(() => asked('tasks/cancel').length === 1);
  });

  it('is refused on any other request', async () => {
    const { session } = await connect(() => created);
    await expect(session.getPrompt('p')).rejects.toThrow('prompts/get with a result of the unknown type "task"');
  });
});
