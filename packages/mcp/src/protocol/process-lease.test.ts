import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ProcessLease } from './process-lease.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('is renewed before the store forgets the process, until it is stopped, and says what fails', async () => {
  const renewals: [string, number][] = [];
  const failures: unknown[] = [];
  const renewed = vi.fn(() => renewals.length === 3 && Promise.reject(new Error('third')));
  const store = { renew: (process: string, ms: number) => void renewals.push([process, ms]) };
  const lease = new ProcessLease(store, 600, (thrown) => failures.push(thrown), renewed);
  lease.start();
  lease.start();
  for (let ticks = 0; ticks < 4; ticks += 1) {
    vi.advanceTimersByTime(100);
    await turn();
  }
  expect(renewals).toEqual(Array(5).fill([lease.process, 400]));
  expect(renewed).toHaveBeenCalledTimes(4);
  expect(failures).toEqual([new Error('third')]);
  lease.stop();
  vi.advanceTimersByTime(1000);
  await turn();
  expect(renewals.length).toBe(5);
});

it.each(['the first', 'a later one'])('is not renewed while %s still waits for the store', async (which) => {
  let finish = () => {};
  let count = 0;
  const store = {
    renew: () => {
      count += 1;
      if (count !== (which === 'the first' ? 1 : 2)) return undefined;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    },
  };
  const lease = new ProcessLease(store, 600, () => {});
  void lease.start();
  const waiting = which === 'the first' ? 1 : 2;
  for (let ticks = 0; ticks < 3; ticks += 1) {
    vi.advanceTimersByTime(100);
    await turn();
  }
  expect(count).toBe(waiting);
  finish();
  await turn();
  vi.advanceTimersByTime(100);
  await turn();
  expect(count).toBe(waiting + 1);
  lease.stop();
});
