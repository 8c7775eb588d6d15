import { describe, expect, it } from 'vitest';
import { describeEventBus } from '../event-bus.contract.ts';
import { memoryEventBus } from './memory.ts';

describeEventBus('memoryEventBus', () => {
  const bus = memoryEventBus();
  return { bus, other: bus };
});

describe('memoryEventBus', () => {
  const logs = (count: number, chars: number) => {
    const bus = memoryEventBus();
    for (let n = 0; n < count; n += 1) bus.publish({ kind: 'log', level: 'info', data: `${n} ${'x'.repeat(chars)}` });
    return bus;
  };

  it('keeps the newest changes that take 4 MiB at least and 8 MiB at most', () => {
    const bus = logs(100, 1_000_000);
    expect(bus.read('0-0', 1000)).toBeUndefined();
    expect(bus.read('0-96', 1000)).toHaveLength(4);
    expect(bus.read('0-90', 1000)).toBeUndefined();
  });

  it('keeps a thousand small ones', () => {
    expect(logs(5000, 10).read('0-4000', 2000)).toHaveLength(1000);
  });
});
