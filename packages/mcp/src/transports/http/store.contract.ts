import { describe, expect, it } from 'vitest';
import { Mailbox } from '../../../testing/mailbox.ts';
import { keepRenewing } from '../../../testing/renewing.ts';
import type { HttpStore, NewEvent, StoredEvent, StoredState, StreamStart } from './store.ts';

const event = (n: number, last = false): NewEvent => ({ text: `{"n":${n}}`, last });
const HOUR_MS = 3_600_000;
const KEEP = { keepMs: HOUR_MS };
const LEASE_MS = 2000;

/** One store as two processes see it. A store in memory is the same object for both. */
export interface StoreViews {
  readonly store: HttpStore;
  readonly other: HttpStore;
}

/** What every store must do. */
export function describeStore(name: string, make: () => StoreViews | Promise<StoreViews>): void {
  describe(`${name} keeps the contract of a store`, () => {
    /** A store with the session `s`. */
    const open = async () => {
      const views = await make();
      await views.store.create('s', { n: 0 }, KEEP);
      return views;
    };

    /** Notes what a stream hands over. */
    const follow = async (
      store: HttpStore,
      stream: string,
      start: StreamStart = 'undelivered',
      { session = 's' }: { session?: string } = {},
    ) => {
      const inbox = new Mailbox<StoredEvent>();
      const changes = new Mailbox<StoredState>();
      const losses = new Mailbox<Error>();
      const stop = await store.follow(session, stream, start, {
        event: inbox.put,
        changed: ({ state, version }) => changes.put({ state, version }),
        lost: losses.put,
      });
      const rest = () => inbox.rest.map(({ text }) => text);
      return { stop, take: inbox.take, rest, change: changes.take, lost: losses.take };
    };

    it('a session is found as it was created and updated, until it is deleted', async () => {
      const { store, other } = await make();
      expect(await store.find('s')).toBeUndefined();
      const state = { text: 'é😀', deep: [{ n: 1 }, null, true], empty: {} };
      const version = await store.create('s', state, KEEP);
      expect(await other.find('s')).toMatchObject({ state, version });
      const next = await other.update('s', { n: 2 }, version);
      await store.create('other', { n: 3 }, KEEP);
      expect(await store.find('s')).toMatchObject({ state: { n: 2 }, version: next });
      expect(next).toBeGreaterThan(version);
      await store.delete('s');
      expect(await other.find('s')).toBeUndefined();
      expect(await store.find('other')).toMatchObject({ state: { n: 3 } });
      await store.delete('never there');
    });

    it('an update of another version than the current one changes nothing', async () => {
      const { store, other } = await open();
      const { version = 0 } = (await store.find('s')) ?? {};
      const outcomes = await Promise.all([
        store.update('s', { by: 'one' }, version),
        other.update('s', { by: 'two' }, version),
      ]);
      expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
      const winner = outcomes[0] === undefined ? 'two' : 'one';
      expect(await store.find('s')).toMatchObject({ state: { by: winner } });
      await store.delete('s');
      expect(await store.update('s', {}, version)).toBeUndefined();
      expect(await store.find('s')).toBeUndefined();
    });

    it('followers in every process get the state after each update', async () => {
      const { store, other } = await open();
      const { version = 0 } = (await store.find('s')) ?? {};
      const readers = [await follow(store, 'a', 'next'), await follow(other, 'b', 'next')];
      const next = await store.update('s', { text: 'é😀' }, version);
      for (const { change } of readers) {
        let stored = await change();
        while (stored.version === version) stored = await change(); // at the start
        expect(stored).toEqual({ state: { text: 'é😀' }, version: next });
      }
    });

    it('calls take effect in the order in which they are made', async () => {
      const { store, other } = await open();
      const { version = 0 } = (await store.find('s')) ?? {};
      const updates = [1, 2, 3].map((n) => store.update('s', { n }, version + n - 1));
      const found = store.find('s');
      const ids = [1, 2, 3].map((n) => store.append('s', 'a', event(n)));
      await Promise.all(updates);
      expect(await found).toMatchObject({ state: { n: 3 } });
      const all = await Promise.all(ids);
      const reader = await follow(other, 'a');
      for (const [n, id] of all.entries()) expect(await reader.take()).toEqual({ id, ...event(n + 1) });
    });

    it('ids of events are visible ASCII and unique in the session', async () => {
      const { store, other } = await open();
      const ids: (string | undefined)[] = [];
      for (let n = 0; n < 50; n += 1) {
        ids.push(await store.append('s', 'a', event(n)), await other.append('s', 'b', event(n)));
      }
      expect(new Set(ids).size).toBe(100);
      for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]+$/);
    });

    it('an event is located by its id, in its own session alone', async () => {
      const { store, other } = await open();
      await store.create('other', {}, KEEP);
      const id = (await store.append('s', 'a', event(1))) ?? '';
      const last = (await store.append('s', 'a', event(2, true))) ?? '';
      expect(await other.locate('s', id)).toEqual({ stream: 'a', last: false });
      expect(await other.locate('s', last)).toEqual({ stream: 'a', last: true });
      const unknown = ['', 'a', 'a_', '_', 'a_999999', 'a_5-00', `${id}0`, `0${id}`, '__proto__', 'constructor_1'];
      for (const none of unknown) expect(await store.locate('s', none)).toBeUndefined();
      expect(await store.locate('other', id)).toBeUndefined();
      expect(await store.locate('no such session', id)).toBeUndefined();
      await store.delete('s');
      expect(await store.locate('s', id)).toBeUndefined();
    });

    it('an event that is erased is gone, and the others of its stream are followed as before', async () => {
      const { store, other } = await open();
      const reader = await follow(other, 'inbox', 'next');
      const first = (await store.append('s', 'inbox', event(1))) ?? '';
      expect(await reader.take()).toEqual({ id: first, ...event(1) });
      await other.erase?.('s', first);
      expect(await store.locate('s', first)).toBeUndefined();
      const second = (await store.append('s', 'inbox', event(2))) ?? '';
      expect(await reader.take()).toEqual({ id: second, ...event(2) });
      for (const unknown of ['', 'a', '999999', '1-1']) await store.erase?.('s', unknown);
      await store.erase?.('no such session', first);
    });

    it('a follower gets what is there, then what comes from every process, in order and with ids', async () => {
      const { store, other } = await open();
      const ids = [await store.append('s', 'a', event(0)), await other.append('s', 'a', event(1))];
      const reader = await follow(store, 'a');
      const handed = [await reader.take(), await reader.take()];
      for (let n = 2; n < 20; n += 1) {
        ids.push(await (n % 2 === 0 ? store : other).append('s', 'a', event(n, n === 19)));
      }
      for (let n = 2; n < 20; n += 1) handed.push(await reader.take());
      expect(handed).toEqual(ids.map((id, n) => ({ id, ...event(n, n === 19) })));
    });

    it('a follower that names an event gets the events after it on the same stream, delivered before or not', async () => {
      const { store, other } = await open();
      const first = await follow(store, 'a');
      const ids = [];
      for (let n = 0; n < 5; n += 1) {
        ids.push(await store.append('s', 'a', event(n)));
        await store.append('s', 'b', event(100 + n));
        await first.take();
      }
      const second = await follow(other, 'a', { after: ids[2] ?? '' });
      expect([(await second.take()).id, (await second.take()).id]).toEqual([ids[3], ids[4]]);
      const next = await store.append('s', 'a', event(5));
      expect((await second.take()).id).toBe(next);
      expect(second.rest()).toEqual([]);
    });

    it('a follower can start with the next event', async () => {
      const { store, other } = await open();
      await store.append('s', 'a', event(1));
      const reader = await follow(other, 'a', 'next');
      await store.append('s', 'a', event(2));
      expect((await reader.take()).text).toBe('{"n":2}');
      const another = await follow(store, 'empty', 'next');
      await other.append('s', 'empty', event(3));
      expect((await another.take()).text).toBe('{"n":3}');
    });

    it('events that no follower got wait for one, and the next follower does not get them again', async () => {
      const { store, other } = await open();
      await store.append('s', 'a', event(1));
      const first = await follow(store, 'a');
      expect((await first.take()).text).toBe('{"n":1}');
      await store.append('s', 'a', event(2));
      expect((await first.take()).text).toBe('{"n":2}');
      first.stop();
      await store.append('s', 'a', event(3));
      const second = await follow(store, 'a');
      expect((await second.take()).text).toBe('{"n":3}');
      second.stop();
      await store.find('s'); // after what the followers have said
      const third = await follow(other, 'a');
      await store.append('s', 'a', event(4));
      expect((await third.take()).text).toBe('{"n":4}');
      expect([first.rest(), second.rest(), third.rest()]).toEqual([[], [], []]);
    });

    it('what a follower with a broken connection got is given to the next one again, in any process', async () => {
      const { store, other } = await open();
      await store.append('s', 'a', event(1));
      const first = await follow(store, 'a');
      await first.take();
      first.stop();
      const second = await follow(store, 'a');
      const id = await other.append('s', 'a', event(2));
      await second.take();
      second.stop(true);
      await store.find('s'); // after what the follower has said
      const third = await follow(other, 'a');
      expect(await third.take()).toEqual({ id, ...event(2) });
      third.stop(true);
      third.stop();
      await other.find('s');
      const named = await follow(store, 'a', { after: id ?? '' });
      await store.append('s', 'a', event(3));
      expect((await named.take()).text).toBe('{"n":3}');
      expect([first.rest(), second.rest(), third.rest(), named.rest()]).toEqual([[], [], [], []]);
    });

    it('a follower whose connection breaks while it gets an event gives that event back, too', async () => {
      const { store, other } = await open();
      const got: string[] = [];
      const cut = new Mailbox<void>();
      const stop = await store.follow('s', 'a', 'undelivered', {
        event: ({ text }) => {
          if (got.push(text) < 2) return;
          stop(true);
          cut.put();
        },
        lost: () => {},
      });
      for (const n of [1, 2]) await other.append('s', 'a', event(n));
      await cut.take();
      await store.find('s'); // as above
      const next = await follow(other, 'a');
      for (const text of got) expect((await next.take()).text).toBe(text);
    });

    it('a follower that has stopped gets nothing more, and may stop twice', async () => {
      const { store } = await open();
      const stopped = await follow(store, 'a');
      stopped.stop();
      stopped.stop();
      await store.append('s', 'a', event(1));
      const another = await follow(store, 'a');
      await store.append('s', 'a', event(2));
      await another.take();
      expect(stopped.rest()).toEqual([]);
    });

    it('sessions have their own streams, also of the same name', async () => {
      const { store, other } = await open();
      await store.create('other', {}, KEEP);
      const [mine, others] = [await follow(store, 'a'), await follow(store, 'a', 'undelivered', { session: 'other' })];
      await other.append('s', 'a', event(1));
      await other.append('other', 'a', event(2));
      expect((await mine.take()).text).toBe('{"n":1}');
      expect((await others.take()).text).toBe('{"n":2}');
      expect([mine.rest(), others.rest()]).toEqual([[], []]);
    });

    it('nothing is added to a session that is gone, or to a stream that has ended', async () => {
      const { store, other } = await open();
      expect(await store.append('gone', 'a', event(1))).toBeUndefined();
      expect(await store.find('gone')).toBeUndefined();
      expect(await store.append('s', 'a', event(1, true))).toBeDefined();
      expect(await store.append('s', 'a', event(2))).toBeUndefined();
      expect(await other.append('s', 'a', event(3, true))).toBeUndefined();
      const reader = await follow(other, 'a');
      expect((await reader.take()).text).toBe('{"n":1}');
      await store.delete('s');
      expect(await store.append('s', 'a', event(4))).toBeUndefined();
      expect(await other.append('s', 'a', event(5))).toBeUndefined();
      expect(await store.find('s')).toBeUndefined();
      expect(reader.rest()).toEqual([]);
    });

    it('followers learn that the session is gone, also those that come later', async () => {
      const { store, other } = await open();
      const readers = [await follow(store, 'a'), await follow(other, 'b', 'next')];
      await store.delete('s');
      for (const reader of readers) expect(await reader.lost()).toBeInstanceOf(Error);
      for (const reader of readers) reader.stop();
      expect(await (await follow(other, 'a')).lost()).toBeInstanceOf(Error);
      expect(await store.find('s')).toBeUndefined();
    });

    it('a session that is deleted takes its events along', async () => {
      const { store, other } = await open();
      await store.append('s', 'a', event(1));
      await follow(other, 'a');
      await store.append('s', 'a', event(2));
      await other.delete('s');
      await store.create('s', { n: 1 }, KEEP);
      const reader = await follow(store, 'a');
      await store.append('s', 'a', event(3));
      expect((await reader.take()).text).toBe('{"n":3}');
    });

    it('a session is deleted as unused only after it was not used for that long', async () => {
      const { store, other } = await open();
      await store.deleteUnused('s', HOUR_MS);
      expect(await other.find('s')).toMatchObject({ state: { n: 0 } });
      await store.deleteUnused('s', 0);
      expect(await store.find('s')).toBeUndefined();
      await store.deleteUnused('never there', 0);
    });

    it('a session that no process uses is gone after the time for which it is kept', async () => {
      const { store, other } = await make();
      const options = { keepMs: 500 };
      await store.create('s', {}, options);
      const start = Date.now();
      for (let used = start; used < start + 800; ) {
        // Each look counts as a use, and together they take longer than it is kept.
        await new Promise((resolve) => setTimeout(resolve, 100));
        const found = await (used % 2 === 0 ? store : other).find('s');
        // On a machine that is too busy for this, it begins again.
        if (Date.now() - used < options.keepMs) expect(found).toBeDefined();
        else if (found === undefined) await store.create('s', {}, options);
        used = Date.now();
      }
      // No look in between: it would be a use.
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(await store.find('s')).toBeUndefined();
    });

    it('a change has one event in a session, however many processes report it', async () => {
      const { store, other } = await make();
      await store.create('s', {}, { ...KEEP, position: '5-0' });
      expect(await other.find('s')).toMatchObject({ position: '5-0' });
      const report = (from: HttpStore, n: number, key: string, position: string) =>
        from.append('s', 'a', { ...event(n), change: { key, position } });
      await Promise.all([store, other, store, other].map((from) => report(from, 1, 'tools', '9-0')));
      await report(other, 2, 'tools', '10-0');
      await report(store, 3, 'tools', '9-0');
      await report(store, 4, 'prompts', '9-5'); // another thing that changed before
      await report(store, 5, 'tools', '10-1');
      expect(await store.find('s')).toMatchObject({ position: '10-1' });
      const reader = await follow(store, 'a');
      const texts = [];
      for (let n = 0; n < 4; n += 1) texts.push((await reader.take()).text);
      expect(texts).toEqual(['{"n":1}', '{"n":2}', '{"n":4}', '{"n":5}']);
      expect(reader.rest()).toEqual([]);
    });

    it('a call whose process is not renewed gets the text of its failure as the last event', async () => {
      const { store, other } = await open();
      const call = (process: string) => ({ process, failureText: () => `{"lost":"${process}"}` });
      await store.renew('living', 1);
      await store.renew('living', HOUR_MS);
      await store.renew('dying', LEASE_MS);
      const stopRenewing = keepRenewing(store, 'dying', LEASE_MS);
      const first = await store.append('s', 'dying call', { ...event(1), call: call('dying') });
      const second = await store.append('s', 'living call', { ...event(1), call: call('living') });
      const [dying, living] = [
        await follow(other, 'dying call', { after: first ?? '' }),
        await follow(other, 'living call', { after: second ?? '' }),
      ];
      await store.append('s', 'dying call', event(2));
      expect((await dying.take()).text).toBe('{"n":2}');
      await stopRenewing();
      expect(await dying.take()).toMatchObject({ text: '{"lost":"dying"}', last: true });
      // The process may only have been suspended.
      expect(await store.append('s', 'dying call', event(3))).toBeUndefined();
      expect(await other.locate('s', first ?? '')).toEqual({ stream: 'dying call', last: false });
      expect(await store.append('s', 'living call', event(2, true))).toBeDefined();
      expect(await living.take()).toMatchObject(event(2, true));
      expect([dying.rest(), living.rest()]).toEqual([[], []]);
      // Who comes later reads the same.
      const late = await follow(store, 'dying call', { after: first ?? '' });
      expect([(await late.take()).text, (await late.take()).text]).toEqual(['{"n":2}', '{"lost":"dying"}']);
    });

    it('a call that is over is not affected by the end of its process', async () => {
      const { store, other } = await open();
      const call = { process: 'dead', failureText: () => '{"lost":true}' };
      const first = await store.append('s', 'a', { ...event(1), call });
      await store.append('s', 'a', event(2, true));
      await store.append('s', 'b', { ...event(3), call });
      const [reader, abandoned] = [await follow(other, 'a', { after: first ?? '' }), await follow(other, 'b')];
      expect((await abandoned.take()).text).toBe('{"n":3}');
      expect((await abandoned.take()).text).toBe('{"lost":true}');
      expect((await reader.take()).text).toBe('{"n":2}');
      expect(reader.rest()).toEqual([]);
    });

    it('names and texts of every kind are kept as they are', async () => {
      const { store, other } = await open();
      const session = 'a {strange}: name\n'.repeat(20);
      await store.create(session, {}, KEEP);
      expect(await other.find(session)).toBeDefined();
      for (const stream of ['__proto__', 'with_underscore', 'a:b {c}', '0ed8d2c6-7a1c-4f0e-8d6b-0c6a8a0c5c5e']) {
        const id = (await store.append('s', stream, { text: `{"a":"é😀\\n"}`, last: false })) ?? '';
        expect(await store.locate('s', id)).toEqual({ stream, last: false });
        expect((await (await follow(other, stream)).take()).text).toBe(`{"a":"é😀\\n"}`);
        const empty = (await store.append('s', stream, { text: '', last: true })) ?? '';
        expect(await store.locate('s', empty)).toEqual({ stream, last: true });
      }
    });
  });
}
