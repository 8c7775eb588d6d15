import { isNewer } from '../../protocol/change-mark.ts';
import type { BusListener, EventBus, PublishedChange } from '../event-bus.ts';

/** Changes that can be read; older ones are forgotten. */
const MAX_CHANGES = 1000;

/** Carries changes between the servers of one process. */
export function memoryEventBus(): EventBus {
  const listeners = new Set<BusListener>();
  let changes: PublishedChange[] = [];
  let count = 0;
  const positionOf = (number: number) => `0-${number}`;

  return {
    get position() {
      return positionOf(count);
    },
    publish: (change) => {
      count += 1;
      const published = { position: positionOf(count), change };
      changes.push(published);
      if (changes.length > 2 * MAX_CHANGES) changes = changes.slice(-MAX_CHANGES);
      for (const listener of [...listeners]) listener.changed(published);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: (after, limit) => {
      const first = changes[0]?.position ?? positionOf(count + 1);
      if (isNewer(first, positionOf(Number(after.slice(2)) + 1))) return undefined;
      return changes.filter(({ position }) => isNewer(position, after)).slice(0, limit);
    },
  };
}
