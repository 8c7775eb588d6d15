import { describe, expect, it } from 'vitest';
import { Mailbox } from '../../../testing/mailbox.ts';
import type { HttpStore, StoredEvent } from './store.ts';

const event = (n: number, last = false) => ({ text: `{"n":${n}}`, last });
const HOUR_MS = 3_600_000;

/** What every store must do. */
export function describeStore(name: string, make: () => HttpStore): void {
  describe(`${name} keeps the contract of a store`, () => {
    /** A store with the session `s`. */
    const open = async () => {
      const store = make();
      await store.save('s', { n: 0 });
      return store;
    };

    /** Notes what a stream hands over. */
    const follow = (store: HttpStore, stream: string, after?: string, session = 's') => {
      const inbox = new Mailbox<StoredEvent>();
      const stop = store.follow(session, stream, after, inbox.put);
      return { stop, take: inbox.take, rest: () => inbox.rest.map(({ text }) => text) };
    };

    it('a session is found as it was last saved, until it is deleted', async () => {
      const store = make();
      expect(await store.find('s')).toBeUndefined();
      const state = { text: 'é😀', deep: [{ n: 1 }, null, true], empty: {} };
      await store.save('s', state);
      expect(await store.find('s')).toEqual(state);
      await store.save('s', { n: 2 });
      await store.save('other', { n: 3 });
      expect(await store.find('s')).toEqual({ n: 2 });
      await store.delete('s');
      expect(await store.find('s')).toBeUndefined();
      expect(await store.find('other')).toEqual({ n: 3 });
      await store.delete('never there');
    });

    it('calls take effect in the order in which they are made', async () => {
      const store = await open();
      const saves = [1, 2, 3].map((n) => store.save('s', { n }));
      const found = store.find('s');
      const ids = [1, 2, 3].map((n) => store.append('s', 'a', event(n)));
      await Promise.all(saves);
      expect(await found).toEqual({ n: 3 });
      const all = await Promise.all(ids);
      const reader = follow(store, 'a');
      for (const [n, id] of all.entries()) expect(await reader.take()).toEqual({ id, ...event(n + 1) });
    });

    it('ids of events are visible ASCII and unique in the session', async () => {
      const store = await open();
      const ids: string[] = [];
      for (let n = 0; n < 50; n += 1) {
        ids.push(await store.append('s', 'a', event(n)), await store.append('s', 'b', event(n)));
      }
      expect(new Set(ids).size).toBe(100);
      for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]+$/);
    });

    it('an event is located by its id, in its own session alone', async () => {
      const store = await open();
      await store.save('other', {});
      const id = await store.append('s', 'a', event(1));
      const last = await store.append('s', 'a', event(2, true));
      expect(await store.locate('s', id)).toEqual({ stream: 'a', last: false });
      expect(await store.locate('s', last)).toEqual({ stream: 'a', last: true });
      for (const unknown of ['', 'a', 'a_', '_', 'a_999999', `${id}0`, '__proto__', 'constructor_1']) {
        expect(await store.locate('s', unknown)).toBeUndefined();
      }
      expect(await store.locate('other', id)).toBeUndefined();
      expect(await store.locate('no such session', id)).toBeUndefined();
      await store.delete('s');
      expect(await store.locate('s', id)).toBeUndefined();
    });

    it('a follower is handed what is there, then what comes, in order and with ids', async () => {
      const store = await open();
      const ids = [await store.append('s', 'a', event(0)), await store.append('s', 'a', event(1))];
      const reader = follow(store, 'a');
      const handed = [await reader.take(), await reader.take()];
      for (let n = 2; n < 20; n += 1) ids.push(await store.append('s', 'a', event(n, n === 19)));
      for (let n = 2; n < 20; n += 1) handed.push(await reader.take());
      expect(handed).toEqual(ids.map((id, n) => ({ id, ...event(n, n === 19) })));
    });

    it('a follower that names an event gets the events after it on the same stream, delivered before or not', async () => {
      const store = await open();
      const first = follow(store, 'a');
      const ids = [];
      for (let n = 0; n < 5; n += 1) {
        ids.push(await store.append('s', 'a', event(n)));
        await store.append('s', 'b', event(100 + n));
        await first.take();
      }
      const second = follow(store, 'a', ids[2]);
      expect([(await second.take()).id, (await second.take()).id]).toEqual([ids[3], ids[4]]);
      const next = await store.append('s', 'a', event(5));
      expect((await second.take()).id).toBe(next);
      expect(second.rest()).toEqual([]);
    });

    it('events that no follower got wait for one, and the next follower does not get them again', async () => {
      const store = await open();
      await store.append('s', 'a', event(1));
      const first = follow(store, 'a');
      expect((await first.take()).text).toBe('{"n":1}');
      await store.append('s', 'a', event(2));
      expect((await first.take()).text).toBe('{"n":2}');
      first.stop();
      await store.append('s', 'a', event(3));
      const second = follow(store, 'a');
      expect((await second.take()).text).toBe('{"n":3}');
      second.stop();
      const third = follow(store, 'a');
      await store.append('s', 'a', event(4));
      expect((await third.take()).text).toBe('{"n":4}');
      expect([first.rest(), second.rest(), third.rest()]).toEqual([[], [], []]);
    });

    it('all followers of a stream are handed what comes', async () => {
      const store = await open();
      const [one, two] = [follow(store, 'a'), follow(store, 'a')];
      // A third one is handed this too once both are there.
      await store.append('s', 'a', event(1));
      expect([(await one.take()).text, (await two.take()).text]).toEqual(['{"n":1}', '{"n":1}']);
      one.stop();
      await store.append('s', 'a', event(2));
      expect((await two.take()).text).toBe('{"n":2}');
      expect(one.rest()).toEqual([]);
    });

    it('a follower that stopped is handed nothing more, and may stop twice', async () => {
      const store = await open();
      const stopped = follow(store, 'a');
      stopped.stop();
      stopped.stop();
      await store.append('s', 'a', event(1));
      const other = follow(store, 'a', undefined);
      await store.append('s', 'a', event(2));
      await other.take();
      expect(stopped.rest()).toEqual([]);
    });

    it('sessions have their own streams, also of the same name', async () => {
      const store = await open();
      await store.save('other', {});
      const [mine, others] = [follow(store, 'a'), follow(store, 'a', undefined, 'other')];
      await store.append('s', 'a', event(1));
      await store.append('other', 'a', event(2));
      expect((await mine.take()).text).toBe('{"n":1}');
      expect((await others.take()).text).toBe('{"n":2}');
      expect([mine.rest(), others.rest()]).toEqual([[], []]);
    });

    it('a session that is deleted takes its events along', async () => {
      const store = await open();
      await store.append('s', 'a', event(1));
      await store.delete('s');
      await store.save('s', { n: 1 });
      const reader = follow(store, 'a');
      await store.append('s', 'a', event(2));
      expect((await reader.take()).text).toBe('{"n":2}');
    });

    it('a session is deleted as unused only after it was not used for that long', async () => {
      const store = await open();
      await store.deleteUnused('s', HOUR_MS);
      expect(await store.find('s')).toEqual({ n: 0 });
      await store.deleteUnused('s', 0);
      expect(await store.find('s')).toBeUndefined();
      await store.deleteUnused('never there', 0);
    });

    it('what is said to a session that is gone does no harm', async () => {
      const store = make();
      expect(await store.append('gone', 'a', event(1))).toMatch(/^[\x21-\x7e]+$/);
      const reader = follow(store, 'a', undefined, 'gone');
      await store.append('gone', 'a', event(2));
      reader.stop();
      expect(reader.rest()).toEqual([]);
      expect(await store.find('gone')).toBeUndefined();
    });

    it('names and texts of every kind are kept as they are', async () => {
      const store = await open();
      for (const stream of ['__proto__', 'with_underscore', '0ed8d2c6-7a1c-4f0e-8d6b-0c6a8a0c5c5e']) {
        const id = await store.append('s', stream, { text: `{"a":"é😀\\n"}`, last: false });
        expect(await store.locate('s', id)).toEqual({ stream, last: false });
        expect((await follow(store, stream).take()).text).toBe(`{"a":"é😀\\n"}`);
        const empty = await store.append('s', stream, { text: '', last: true });
        expect(await store.locate('s', empty)).toEqual({ stream, last: true });
      }
    });
  });
}
