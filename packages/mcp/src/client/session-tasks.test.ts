import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { connect, failure, type ScriptedResponse, SESSION, tool } from '../../testing/client-session.ts';
import type { Recorder } from '../../testing/recorder.ts';
import { type Asked, INITIALIZED, scriptedServer } from '../../testing/scripted-server.ts';
import type { Message } from '../jsonrpc/message.ts';
import { connectStdio } from '../transports/stdio/connect.ts';
import { Client } from './client.ts';

describe('the official server of examples', () => {
  const main = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

  it('runs a tool that requires a task, asks its question, and reports progress', async () => {
    const asked: string[] = [];
    const client = new Client(
      { name: 'c', version: '1' },
      {
        elicit: ({ message }) => {
          asked.push(message);
          return { action: 'accept', content: { interpretation: 'technical' } };
        },
      },
    );
    const session = await client.connect(connectStdio({ command: process.execPath, args: [main] }));
    const result = await session.callTool('simulate-research-query', { topic: 'python', ambiguous: true });
    expect(result.isError).toBeFalsy();
    expect(JSON.stringify(result.content)).toContain('python');
    expect(asked).toHaveLength(1);
    await session.close();
  });
});

describe('a tool of 2025-11-25 that requires a task', () => {
  const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  const TOOLS = { tools: [tool({ execution: { taskSupport: 'required' } }), { ...tool({}), name: 'plain' }] };
  const task = (status: string, more: object = {}) => ({ taskId: 't-1', status, ttl: 1000, pollInterval: 10, ...more });
  const done = { content: [{ type: 'text', text: 'done' }] };

  async function open(response: (method: string, params: Record<string, unknown>) => ScriptedResponse) {
    const { connection, theirs, received } = scriptedServer(({ method, params }) => {
      if (method === 'initialize') return { result: { ...INITIALIZED, capabilities } };
      if (method === 'tools/list') return { result: TOOLS };
      return response(method, (params ?? {}) as Record<string, unknown>);
    });
    const client = new Client({ name: 'c', version: '1' }, { protocolVersion: SESSION, onError: () => {} });
    const send = (message: Message) => theirs.send(message);
    return { session: await client.connect(connection), asked: () => requestsIn(received), send };
  }

  it('is called as one, polled, and settles with the result', async () => {
    let polls = 0;
    const { session, asked } = await open((method, params) => {
      if (method === 'tools/call') return { result: { task: task('working') } };
      if (method === 'tasks/result') return { result: done };
      polls += 1;
      expect(params).toEqual({ taskId: 't-1' });
      return { result: task(polls < 3 ? 'working' : 'completed') };
    });
    expect(await session.callTool('t', { a: 1 })).toEqual(done);
    const methods = asked().map(({ method }) => method);
    expect(methods.slice(-6)).toEqual([
      'tools/list',
      'tools/call',
      'tasks/get',
      'tasks/get',
      'tasks/get',
      'tasks/result',
    ]);
    expect(asked().find(({ method }) => method === 'tools/call')?.params).toEqual({
      name: 't',
      arguments: { a: 1 },
      task: {},
    });
  });

  it('waits for the result at once when the server wants input', async () => {
    const { session, asked } = await open((method) =>
      method === 'tools/call' ? { result: { task: task('input_required') } } : { result: done },
    );
    expect(await session.callTool('t')).toEqual(done);
    expect(asked().at(-1)?.method).toBe('tasks/result');
  });

  it('reports progress after the task was created, under the token of the call', async () => {
    const seen: number[] = [];
    const server = await open((method) => {
      if (method === 'tools/call') return { result: { task: task('working') } };
      const { params } = server.asked().find((each) => each.method === 'tools/call') ?? {};
      const { progressToken } = (params as { _meta: { progressToken: number } })._meta;
      server.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
      return { result: method === 'tasks/get' ? task('completed') : done };
    });
    await server.session.callTool('t', {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 1]);
  });

  it.each([
    [
      'that the server cancelled',
      task('cancelled', { statusMessage: 'no time' }),
      'The server cancelled the task t-1: no time',
    ],
    [
      'without an id',
      { status: 'working' },
      "The server's response to tools/call is malformed: task.taskId must be a string, got undefined",
    ],
    [
      'without a status',
      { taskId: 't' },
      "The server's response to tools/call is malformed: task.status must be a string, got undefined",
    ],
  ])('and gives one %s is a clear error', async (_, created, message) => {
    const { session } = await open(() => ({ result: { task: created } }));
    expect(await failure(session.callTool('t'))).toBe(message);
  });

  it('cancels the task when the call is aborted, or takes too long', async () => {
    const { session, asked } = await open((method) =>
      method === 'tools/call' ? { result: { task: task('working') } } : { result: task('working') },
    );
    const abort = new AbortController();
    const call = session.callTool('t', {}, { signal: abort.signal });
    await expect.poll(() => asked().some(({ method }) => method === 'tasks/get')).toBe(true);
    abort.abort(new Error('enough'));
    expect(await failure(call)).toBe('enough');
    await expect.poll(() => asked().at(-1)?.method).toBe('tasks/cancel');
    expect(await failure(session.callTool('t', {}, { maxTimeout: 50 }))).toContain('got no response within 50 ms');
  });

  it('ends with the session', async () => {
    const { session } = await open((method) =>
      method === 'tools/call' ? { result: { task: task('working', { pollInterval: 60_000 }) } } : { result: {} },
    );
    await session.listTools();
    const call = failure(session.callTool('t'));
    await session.ping(); // its response comes after that of the call
    await session.close('over');
    expect(await call).toBe('over');
  });

  it('leaves other tools as they are', async () => {
    const { session, asked } = await open(() => ({ result: done }));
    expect(await session.callTool('plain')).toEqual(done);
    expect(asked().at(-1)?.params).toEqual({ name: 'plain', arguments: {} });
    await session.callTool('plain');
    expect(asked().filter(({ method }) => method === 'tools/list')).toHaveLength(1);
  });

  it('costs servers without tasks no list', async () => {
    const { session, received } = await connect(SESSION, () => ({ result: done }));
    await session.callTool('plain');
    expect(requestsIn(received).some(({ method }) => method === 'tools/list')).toBe(false);
  });
});

function requestsIn({ messages }: Recorder): Asked[] {
  return messages.filter(({ method, id }) => method !== undefined && id !== undefined) as Asked[];
}
