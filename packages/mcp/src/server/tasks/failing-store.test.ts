import { describe, expect, it, vi } from 'vitest';
import { failOnEscapes } from '../../../testing/fail-on-escapes.ts';
import { openMemory } from '../../../testing/raw-wire.ts';
import { FULL, serverWith, start, until } from '../../../testing/task-server.ts';
import { createFetchHandler } from '../../transports/http/server/fetch/handler.ts';
import { memoryTaskStore } from './stores/memory.ts';
import type { TaskStore } from './task-store.ts';

failOnEscapes();

const fail = (): never => {
  throw new Error('the disk is full');
};

/** A server with a store of which one method throws, and what its `onError` got. */
function serverWithStore(broken: Partial<TaskStore>) {
  const errors: string[] = [];
  const server = serverWith(async () => 'done', {
    tasks: { store: { ...memoryTaskStore(), ...broken } },
    onError: ({ message }) => errors.push(message),
  });
  return { server, errors };
}

describe('a task store of the user that throws', () => {
  it.each<[string, Partial<TaskStore>]>([
    ['create', { create: fail }],
    ['receive', { receive: fail }],
  ])('in %s fails the call that starts a task', async (_, broken) => {
    const { server } = serverWithStore(broken);
    const wire = await openMemory(server);
    const { result } = await wire.call('work', {}, FULL);
    expect(result).toMatchObject({ isError: true, content: [{ text: 'the disk is full' }] });
  });

  it('in save is reported, and the task goes on', async () => {
    const { save, ...inner } = memoryTaskStore();
    let failures = 0;
    const { server, errors } = serverWithStore({
      ...inner,
      save: (...args) => {
        failures += 1;
        return failures === 1 ? fail() : save(...args);
      },
    });
    const wire = await openMemory(server);
    const { taskId } = await start(wire);
    // A failed save is repeated after half a second.
    await expect
      .poll(() => inner.find(taskId))
      .toMatchObject({ task: { status: 'completed', result: { content: [{ text: 'done' }] } } });
    expect(errors).toEqual(['the disk is full']);
  });

  it('in renew or abandoned is reported', async () => {
    const { server, errors } = serverWithStore({ renew: fail });
    await expect.poll(() => errors).toEqual(['the disk is full']);
    await server.close();
  });

  it('when it stops to receive messages is reported, and the task has its result', async () => {
    const { server, errors } = serverWithStore({ receive: () => fail });
    const wire = await openMemory(server);
    const { taskId } = await start(wire);
    await until(wire, taskId, 'completed');
    expect(errors).toEqual(['the disk is full']);
  });
});

describe('a task store of the user that never settles', () => {
  const never = () => new Promise<never>(() => {});

  it.each<[string, Partial<TaskStore>]>([
    ['create', { create: never }],
    ['receive', { receive: never }],
  ])('in %s fails the call that starts a task', async (_, broken) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { server } = serverWithStore(broken);
    const wire = await openMemory(server);
    const called = wire.call('work', {}, FULL);
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await called).result).toMatchObject({
      isError: true,
      content: [{ text: 'The task store did not settle within 30000 ms' }],
    });
  });

  it('gives requests about tasks 503 over HTTP, with the reason', async () => {
    const { server } = serverWithStore({ find: never });
    const respond = createFetchHandler(server);
    const version = '2026-07-28';
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const responding = respond(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': version,
          'Mcp-Method': 'tasks/get',
          'Mcp-Name': 'any',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tasks/get',
          params: {
            taskId: 'any',
            _meta: {
              'io.modelcontextprotocol/protocolVersion': version,
              'io.modelcontextprotocol/clientCapabilities': FULL,
            },
          },
        }),
      }),
    );
    const ended = responding.then(async (response) => ({ status: response.status, body: await response.json() }));
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await ended).toMatchObject({
      status: 503,
      body: { id: 1, error: { message: expect.stringContaining('The task store did not settle within 30000 ms') } },
    });
  });
});
