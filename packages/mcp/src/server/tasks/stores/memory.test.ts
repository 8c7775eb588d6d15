import { describe, expect, it } from 'vitest';
import { slowTaskStore } from '../../../../testing/slow-task-store.ts';
import { describeTaskStore, record } from '../task-store.contract.ts';
import { memoryTaskStore } from './memory.ts';

describeTaskStore('memoryTaskStore', () => {
  const store = memoryTaskStore();
  return { store, other: store };
});
describeTaskStore('slowTaskStore', () => {
  const kept = memoryTaskStore();
  return { store: slowTaskStore(kept), other: slowTaskStore(kept) };
});

describe('memoryTaskStore', () => {
  const idsOf = (store: ReturnType<typeof memoryTaskStore>, ids: readonly string[]) =>
    ids.filter((id) => store.find(id) !== undefined);

  it('forgets what has expired first, then the oldest that is over, when there are too many', () => {
    const store = memoryTaskStore({ maxTasks: 3 });
    store.create('over', record('over', 'completed'));
    store.create('working', record('working'));
    store.create('expired', record('expired', 'working', Date.now() - 1));
    store.create('new', record('new'));
    expect(idsOf(store, ['over', 'working', 'expired', 'new'])).toEqual(['over', 'working', 'new']);
    store.create('newer', record('newer', 'failed'));
    expect(idsOf(store, ['over', 'working', 'new', 'newer'])).toEqual(['working', 'new', 'newer']);
  });

  it('forgets the oldest that is over when all take too many bytes, and never the newest', () => {
    const store = memoryTaskStore({ maxBytes: 1_000_000 });
    const ended = (id: string, chars: number) => {
      const { task, ...rest } = record(id, 'completed');
      const result = { content: [{ type: 'text' as const, text: 'x'.repeat(chars) }] };
      store.create(id, record(id));
      store.save(id, { ...rest, task: { ...task, result } }, rest.process);
    };
    store.create('working', record('working'));
    for (const id of ['a', 'b', 'c']) ended(id, 200_000);
    expect(idsOf(store, ['working', 'a', 'b', 'c'])).toEqual(['working', 'b', 'c']);
    ended('huge', 2_000_000);
    expect(idsOf(store, ['working', 'a', 'b', 'c', 'huge'])).toEqual(['working', 'huge']);
  });

  it('never forgets one that is not over, and makes no room for one it knows', () => {
    const store = memoryTaskStore({ maxTasks: 2 });
    for (const id of ['a', 'b', 'c']) store.create(id, record(id));
    store.save('a', record('a', 'completed'), record('a').process);
    store.save('b', record('b', 'input_required'), record('b').process);
    expect(idsOf(store, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
  });
});
