import { describe, expect, it } from 'vitest';
import { Mailbox } from '../../testing/mailbox.ts';
import { isNewer } from '../protocol/change-mark.ts';
import type { Change, EventBus, PublishedChange } from './event-bus.ts';

const resource = (n: number): Change => ({ kind: 'resource', uri: `test://${n}` });

/** One bus as two processes see it. A bus in memory is the same object for both. */
export interface BusViews {
  readonly bus: EventBus;
  readonly other: EventBus;
}

/** What every event bus must do. */
export function describeEventBus(name: string, make: () => BusViews | Promise<BusViews>): void {
  describe(`${name} keeps the contract of an event bus`, () => {
    const listen = (bus: EventBus) => {
      const inbox = new Mailbox<PublishedChange>();
      const stop = bus.listen({ changed: inbox.put, missed: () => {} });
      return { stop, take: inbox.take, rest: () => inbox.rest };
    };
    const takeAll = async (take: () => Promise<PublishedChange>, count: number) => {
      const all = [];
      for (let n = 0; n < count; n += 1) all.push(await take());
      return all;
    };

    it('a change reaches the listeners of every process once, as it was published', async () => {
      const { bus, other } = await make();
      const readers = [listen(bus), listen(other)];
      const changes: Change[] = [
        { kind: 'list', list: 'tools' },
        { kind: 'resource', uri: 'test://é😀' },
        { kind: 'log', level: 'warning', data: { deep: [null, 'x\ny'] }, logger: 'disk' },
        { kind: 'notification', method: 'notifications/note', params: { n: 1 } },
      ];
      for (const change of changes) await bus.publish(change);
      for (const reader of readers) {
        expect((await takeAll(reader.take, 4)).map(({ change }) => change)).toEqual(changes);
        expect(reader.rest()).toEqual([]);
      }
    });

    it('every process gets the changes of all in the same order, at growing positions', async () => {
      const { bus, other } = await make();
      const readers = [listen(bus), listen(other)];
      const publishing = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? bus : other).publish(resource(n)));
      await Promise.all(publishing);
      const [one = [], two = []] = await Promise.all(readers.map(({ take }) => takeAll(take, 50)));
      expect(one).toEqual(two);
      expect(new Set(one.map(({ change }) => JSON.stringify(change))).size).toBe(50);
      for (const [n, { position }] of one.entries()) expect(isNewer(position, one[n - 1]?.position)).toBe(true);
      expect([bus.position, other.position]).toEqual(Array(2).fill(one.at(-1)?.position));
    });

    it('a listener that has stopped gets nothing more, and may stop twice', async () => {
      const { bus, other } = await make();
      const [stopped, reader] = [listen(bus), listen(bus)];
      await other.publish(resource(1));
      await reader.take();
      stopped.stop();
      stopped.stop();
      await other.publish(resource(2));
      await reader.take();
      expect(stopped.rest()).toHaveLength(1);
    });

    it('the changes after a position can be read, at most as many as wanted', async () => {
      const { bus, other } = await make();
      const start = bus.position;
      expect(await bus.read(start, 10)).toEqual([]);
      const reader = listen(other);
      for (let n = 0; n < 5; n += 1) await bus.publish(resource(n));
      const all = await takeAll(reader.take, 5);
      expect(await other.read(start, 10)).toEqual(all);
      expect(await other.read(start, 2)).toEqual(all.slice(0, 2));
      expect(await bus.read(all[2]?.position ?? '', 10)).toEqual(all.slice(3));
      expect(await bus.read(all[4]?.position ?? '', 10)).toEqual([]);
    });

    it('a position whose next change is no longer known cannot be read from', async () => {
      const { bus, other } = await make();
      const start = bus.position;
      const reader = listen(bus);
      const count = 2500;
      await Promise.all(Array.from({ length: count }, (_, n) => other.publish(resource(n))));
      const all = await takeAll(reader.take, count);
      expect(await bus.read(start, 10)).toBeUndefined();
      expect(await other.read(all.at(-3)?.position ?? '', 10)).toEqual(all.slice(-2));
    });
  });
}
