import { isNewer } from '../../protocol/change-mark.ts';
import type { BusListener, Change, EventBus, PublishedChange } from '../event-bus.ts';

/** Changes that can be read, and their length as JSON; older ones are forgotten. */
export const EVENT_BUS_LIMITS = { maxChanges: 1000, maxBytes: 8 * 1024 * 1024 } as const;

/** Carries changes between the servers of one process. */
export function memoryEventBus(): EventBus {
  const { maxChanges, maxBytes } = EVENT_BUS_LIMITS;
  const listeners = new Set<BusListener>();
  let changes: PublishedChange[] = [];
  let count = 0;
  let bytes = 0;
  const positionOf = (number: number) => `0-${number}`;
  /** Keeps the newest, within half of the room. */
  const forget = () => {
    let kept = 0;
    let first = changes.length;
    for (bytes = 0; first > 0 && kept < maxChanges; first -= 1, kept += 1) {
      const more = bytesOf((changes[first - 1] as PublishedChange).change);
      if (bytes + more > maxBytes / 2) break;
      bytes += more;
    }
    changes = changes.slice(first);
  };

  return {
    get position() {
      return positionOf(count);
    },
    publish: (change) => {
      count += 1;
      const published = { position: positionOf(count), change };
      changes.push(published);
      bytes += bytesOf(change);
      if (changes.length > 2 * maxChanges || bytes > maxBytes) forget();
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

function bytesOf(change: Change): number {
  try {
    return JSON.stringify(change).length;
  } catch {
    return 0; // it can't be sent either
  }
}
