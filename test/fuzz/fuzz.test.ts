import { describe, expect, test } from 'vitest';
import { Random } from '../../packages/mcp/testing/random.ts';
import { fuzz } from './run.ts';
import { type FuzzTarget, Violation } from './target.ts';
import { fuzzTargets } from './targets.ts';

const SEED = 20_260_728;
const CASES = 25;

describe('a short run with a fixed seed finds nothing', () => {
  test.each(fuzzTargets(new URL('./', import.meta.url)).map((target) => [target.name, target] as const))(
    '%s',
    { timeout: 120_000 },
    async (_, target) => {
      const { inputs, findings } = await fuzz(target, { seed: SEED, goOn: (cases) => cases < CASES });
      expect(findings).toEqual([]);
      expect(inputs).toBeGreaterThanOrEqual(CASES);
    },
  );
});

test('a violation is reported with the seed that repeats it, and the target is opened anew', async () => {
  let opened = 0;
  const target: FuzzTarget = {
    name: 'breaks at every third case',
    open: async () => {
      opened += 1;
      return {
        runCase: async (random) => {
          if (random.fraction() === new Random(SEED + 2).fraction()) throw new Violation('broken');
          return 1;
        },
        close: async () => {},
      };
    },
  };
  const report = await fuzz(target, { seed: SEED, goOn: (cases) => cases < 5 });
  expect(report).toMatchObject({ cases: 5, inputs: 4, findings: [{ seed: SEED + 2, target: target.name }] });
  expect(opened).toBe(2);
});
