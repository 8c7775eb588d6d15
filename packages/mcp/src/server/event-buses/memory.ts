import { isNewer } from '../../protocol/change-mark.ts';
import type { BusListener, Change, EventBus, PublishedChange } from '../event-bus.ts';

/** Changes that can be read, and their characters as JSON; older ones are forgotten. */
const MAX_CHANGES = 1000;
const MAX_CHARS = 8 * 1024 * 1024;

/** Carries changes between the servers of one process. */
export function memoryEventBus(): EventBus {
  const listeners = new Set<BusListener>();
  let changes: PublishedChange[] = [];
  let count = 0;
  let chars = 0;
  const positionOf = (number: number) => `0-${number}`;
  /** Keeps the newest, within half of the room. */
  const forget = () => {
    let kept = 0;
    let first = changes.length;
    for (chars = 0; first > 0 && kept < MAX_CHANGES; first -= 1, kept += 1) {
      const more = charsOf((changes[first - 1] as PublishedChange).change);
      if (chars + more > MAX_CHARS / 2) break;
      chars += more;
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
      chars += charsOf(change);
      if (changes.length > 2 * MAX_CHANGES || chars > MAX_CHARS) forget();
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

function charsOf(change: Change): number {
  try {
    return JSON.stringify(change).length;
  } catch {
    return 0; // it can't be sent either
  }
}
