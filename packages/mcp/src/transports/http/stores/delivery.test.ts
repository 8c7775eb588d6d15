import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Delivery } from './delivery.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('an event has arrived when its follower has gone on for five seconds', () => {
  const delivery = new Delivery(7);
  delivery.handOver(8);
  vi.advanceTimersByTime(3000);
  delivery.handOver(9);
  expect(delivery).toMatchObject({ arrived: 7, last: 9 });
  vi.advanceTimersByTime(2000);
  expect(delivery).toMatchObject({ arrived: 8, last: 9 });
  vi.advanceTimersByTime(5000);
  expect(delivery).toMatchObject({ arrived: 9, last: 9 });
  expect(vi.getTimerCount()).toBe(0);
  delivery.handOver(10);
  delivery.stop();
  expect(vi.getTimerCount()).toBe(0);
});
