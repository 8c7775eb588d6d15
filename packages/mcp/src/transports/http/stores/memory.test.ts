import { describe, expect, it, vi } from 'vitest';
import { slowStore } from '../../../../testing/slow-store.ts';
import { describeStore } from '../store.contract.ts';
import type { StoredState } from '../store.ts';
import { memoryStore } from './memory.ts';

describeStore('memory', () => {
  const store = memoryStore();
  return { store, other: store };
});
describeStore('memory that returns promises', () => {
  const kept = memoryStore();
  return { store: slowStore(kept), other: slowStore(kept) };
});

const KEEP = { keepMs: 3_600_000 };
const NOTHING = { event: () => {}, lost: () => {} };
const stateOf = (found: unknown) => (found as StoredState | undefined)?.state;

const text = (chars: number) => 'x'.repeat(chars);
const append = (store: ReturnType<typeof memoryStore>, stream: string, chars: number, last = false) =>
  store.append('s', stream, { text: text(chars), last }) as string;

const follow = (store: ReturnType<typeof memoryStore>, ids: string[]) =>
  store.follow('s', 'a', 'undelivered', { ...NOTHING, event: ({ id }) => ids.push(id) }) as () => void;

describe('memoryStore', () => {
  it('forgets the session unused the longest when there are too many', () => {
    const store = memoryStore({ maxSessions: 2 });
    store.create('a', 1, KEEP);
    store.create('b', 2, KEEP);
    expect(stateOf(store.find('a'))).toBe(1);
    store.create('c', 3, KEEP);
    expect(['a', 'b', 'c'].map((id) => stateOf(store.find(id)))).toEqual([1, undefined, 3]);
  });

  it('counts the memory of small values in a state, which is many times that of their text', () => {
    const store = memoryStore({ maxTotalBytes: 500_000 });
    for (let n = 0; n < 10; n += 1) store.create(`s${n}`, { items: Array(1000).fill({}) }, KEEP);
    const kept = Array.from({ length: 10 }, (_, n) => `s${n}`).filter((id) => store.find(id) !== undefined);
    expect(kept).toEqual(['s7', 's8', 's9']);
  });

  it('remembers the last changes of 2000 things', () => {
    const store = memoryStore();
    store.create('s', {}, KEEP);
    const change = (key: number, position: string) =>
      store.append('s', 'a', { text: '{}', last: false, change: { key: `resource ${key}`, position } });
    for (let key = 0; key <= 2000; key += 1) change(key, '0-1');
    expect(change(2000, '0-1')).toBe('0');
    expect(change(1, '0-1')).toBe('0');
    expect(change(0, '0-1')).not.toBe('0');
  });

  it('counts the time since a session was last looked for', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const store = memoryStore();
      store.create('s', 1, KEEP);
      vi.advanceTimersByTime(900);
      store.deleteUnused('s', 1000);
      expect(stateOf(store.find('s'))).toBe(1);
      vi.advanceTimersByTime(900);
      store.deleteUnused('s', 1000);
      vi.advanceTimersByTime(100);
      store.deleteUnused('s', 1000);
      expect(store.find('s')).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it('forgets the oldest events of a session when they take up too much', () => {
    const store = memoryStore({ maxEventBytes: 200_000 });
    store.create('s', {}, KEEP);
    const ids = Array.from({ length: 300 }, () => append(store, 'a', 1000));
    const known = ids.filter((id) => store.locate('s', id) !== undefined);
    expect(known).toEqual(ids.slice(-known.length));
    expect(known.length).toBeGreaterThan(30);
    expect(known.length).toBeLessThan(100);
    const handed = vi.fn();
    store.follow('s', 'a', 'undelivered', { ...NOTHING, event: handed });
    expect(handed.mock.calls.map(([{ id }]) => id)).toEqual(known);
  });

  it('keeps the newest of the streams that are over, and those that are not', () => {
    const store = memoryStore({ maxEndedStreams: 10 });
    store.create('s', {}, KEEP);
    const open = Array.from({ length: 30 }, () => append(store, 'open', 1));
    const responses = Array.from({ length: 25 }, (_, n) => [append(store, `${n}`, 0), append(store, `${n}`, 1, true)]);
    const isKnown = (id: string) => store.locate('s', id) !== undefined;
    expect(open.every(isKnown)).toBe(true);
    const known = responses.filter((ids) => ids.every(isKnown));
    expect(known).toEqual(responses.slice(-known.length));
    expect(known.length).toBeGreaterThanOrEqual(5);
    expect(known.length).toBeLessThanOrEqual(10);
    expect(responses.slice(0, -known.length).some((ids) => ids.some(isKnown))).toBe(false);
  });

  it('counts events without text too', () => {
    const store = memoryStore({ maxEventBytes: 200_000 });
    store.create('s', {}, KEEP);
    const ids = Array.from({ length: 2000 }, () => append(store, 'a', 0));
    expect(store.locate('s', ids[0] ?? '')).toBeUndefined();
    expect(store.locate('s', ids.at(-1) ?? '')).toBeDefined();
  });

  it('forgets finished streams before events that no listener got', () => {
    const store = memoryStore({ maxEventBytes: 200_000 });
    store.create('s', {}, KEEP);
    const waiting = append(store, 'standalone', 1000);
    const finished = Array.from({ length: 300 }, (_, n) => append(store, `call ${n}`, 1000, true));
    expect(store.locate('s', waiting)).toBeDefined();
    expect(store.locate('s', finished[0] ?? '')).toBeUndefined();
    expect(store.locate('s', finished.at(-1) ?? '')).toBeDefined();
  });

  it('a follower misses nothing while events before it are forgotten', () => {
    const store = memoryStore({ maxEventBytes: 20_000 });
    store.create('s', {}, KEEP);
    const handed: string[] = [];
    const stop = follow(store, handed);
    const ids = Array.from({ length: 100 }, () => append(store, 'a', 1000));
    stop();
    expect(handed).toEqual(ids);
    for (let n = 0; n < 50; n += 1) {
      const unheard = append(store, 'a', 1000);
      const stopAgain = follow(store, handed);
      ids.push(unheard, append(store, 'a', 1000));
      stopAgain();
      expect(handed).toEqual(ids);
    }
  });

  it('the limit is each session’s own', () => {
    const store = memoryStore({ maxEventBytes: 20_000 });
    store.create('s', {}, KEEP);
    store.create('other', {}, KEEP);
    const kept = store.append('other', 'a', { text: text(1000), last: false }) as string;
    for (let n = 0; n < 100; n += 1) append(store, 'a', 1000);
    expect(store.locate('other', kept)).toBeDefined();
  });

  it('take no more memory than the limit when they are full, however much passes through', () => {
    const MIB = 2 ** 20;
    const store = memoryStore({ maxTotalBytes: 32 * MIB });
    for (let n = 0; n < 100; n += 1) store.create(`${n}`, {}, KEEP);
    const used = () => process.memoryUsage().heapUsed;
    const unit = 'ю'.repeat(25_000);
    const before = used();
    let most = 0;
    for (let n = 0; n < 8000; n += 1) {
      store.append(`${n % 100}`, `${n}`, { text: JSON.stringify({ n, text: unit }), last: true });
      if (n % 100 === 0) most = Math.max(most, used() - before);
    }
    expect(most).toBeLessThan(64 * MIB);
  });

  it('long texts come back as they were', () => {
    const store = memoryStore();
    store.create('s', {}, KEEP);
    const texts = ['é', '😀', '\ud800', '\ufeff', 'a'].map((unit) => unit.repeat(3000));
    for (const each of texts) store.append('s', 'a', { text: each, last: false });
    const got: string[] = [];
    store.follow('s', 'a', { after: '0' }, { event: ({ text: each }) => got.push(each), lost: () => {} });
    expect(got).toEqual(texts);
  });
});
