import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runHostileServerCase } from '../../testing/hostile-server-case.ts';

it('300 hostile servers: every call settles in time, nothing escapes, and the client can still be used', async () => {
  let cases = 0;
  const seeds = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 30, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(seeds, async (batch) => {
      await Promise.all(batch.map((seed) => runHostileServerCase(seed)));
      cases += batch.length;
    }),
    { numRuns: 10, seed: 20260728, endOnFailure: true },
  );
  expect(cases).toBe(300);
});
