import { describe, expect, it } from 'vitest';
import { failOnEscapes } from '../../../testing/fail-on-escapes.ts';
import { openMemory } from '../../../testing/raw-wire.ts';
import { FULL, serverWith, start, until } from '../../../testing/task-server.ts';
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
