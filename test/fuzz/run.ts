import { Random } from '../../packages/mcp/testing/random.ts';
import type { FuzzTarget } from './target.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** Asked before each case. */
  readonly goOn: (casesSoFar: number) => boolean;
  readonly onProgress?: (inputs: number) => void;
}

export interface Finding {
  readonly target: string;
  /** Runs the same case again: `--only <target> --seed <seed> --cases 1`. */
  readonly seed: number;
  readonly error: unknown;
}

export interface FuzzReport {
  readonly cases: number;
  readonly inputs: number;
  readonly findings: Finding[];
}

/** After these findings a target is broken enough. */
const MAX_FINDINGS = 5;

/** Attacks one target until told to stop. After a finding the target is opened anew. */
export async function fuzz(target: FuzzTarget, { seed, goOn, onProgress }: FuzzOptions): Promise<FuzzReport> {
  const findings: Finding[] = [];
  let cases = 0;
  let inputs = 0;
  while (findings.length < MAX_FINDINGS && goOn(cases)) {
    const open = await target.open();
    try {
      while (goOn(cases)) {
        const caseSeed = seed + cases;
        cases += 1;
        try {
          inputs += await open.runCase(new Random(caseSeed));
          onProgress?.(inputs);
        } catch (error) {
          findings.push({ target: target.name, seed: caseSeed, error });
          break;
        }
      }
    } finally {
      await open.close();
    }
  }
  return { cases, inputs, findings };
}
