import { describe, expect, it } from 'vitest';
import { describeTaskStore, record, slowTaskStore } from '../task-store.contract.ts';
import { memoryTaskStore } from './memory.ts';

describeTaskStore('memoryTaskStore', () => memoryTaskStore());
describeTaskStore('slowTaskStore', () => slowTaskStore());

describe('memoryTaskStore', () => {
  const idsOf = (store: ReturnType<typeof memoryTaskStore>, ids: readonly string[]) =>
    ids.filter((id) => store.find(id) !== undefined);

  it('forgets what has expired first, then the oldest that is over, when there are too many', () => {
    const store = memoryTaskStore({ maxTasks: 3 });
    store.save('over', record('over', 'completed'));
    store.save('working', record('working'));
    store.save('expired', record('expired', 'working', Date.now() - 1));
    store.save('new', record('new'));
    expect(idsOf(store, ['over', 'working', 'expired', 'new'])).toEqual(['over', 'working', 'new']);
    store.save('newer', record('newer', 'failed'));
    expect(idsOf(store, ['over', 'working', 'new', 'newer'])).toEqual(['working', 'new', 'newer']);
  });

  it('never forgets one that is not over, and makes no room for one it knows', () => {
    const store = memoryTaskStore({ maxTasks: 2 });
    for (const id of ['a', 'b', 'c']) store.save(id, record(id));
    store.save('a', record('a', 'completed'));
    store.save('b', record('b', 'input_required'));
    expect(idsOf(store, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
  });
});
