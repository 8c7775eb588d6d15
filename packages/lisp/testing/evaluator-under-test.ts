import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, type TestContext } from 'vitest';
import type { Engine, Evaluator, Operation, Outcome, PerformOptions, StartOptions } from '../src/evaluator.ts';

/** What an engine may lack; the reason is printed with the tests that are skipped for it. */
export type Ability =
  | 'locals'
  | 'unnamed-restarts'
  | 'restart-arguments'
  | 'strict-redefinition'
  | 'evaluate-in-frame'
  | 'frames'
  | 'references'
  | 'compiler-positions'
  | 'merged-tail-calls'
  | 'profiler'
  | 'expand-all'
  | 'own-process';

export interface EngineNotes {
  readonly lacks?: Partial<Record<Ability, string>>;
  /** Code after which libraries compile sooner. */
  readonly compileSoon?: string;
}

export const PATIENT: PerformOptions = { timeout: 60_000, limits: { output: 20_000, value: 2000 } };
export const START: StartOptions = { heapMegabytes: 512 };

export interface EvaluatorUnderTest {
  readonly engine: () => Engine;
  readonly evaluator: () => Evaluator;
  /** A folder of this suite alone; the evaluator runs there and knows its systems. */
  readonly folder: () => string;
  readonly needs: (context: TestContext, ability: Ability) => void;
  readonly perform: (operation: Operation, options?: Partial<PerformOptions>) => Promise<Outcome>;
  readonly evaluate: (code: string, options?: Partial<PerformOptions>) => Promise<Outcome>;
  /** One more evaluator, closed after the test. */
  readonly another: (options?: Partial<StartOptions>) => Promise<Evaluator>;
  /** Writes a file in the folder and returns its path. */
  readonly file: (name: string, text: string | Uint8Array) => Promise<string>;
}

/** Starts one evaluator for all tests of a suite, and another one when a test has lost it. */
export function useEvaluator(
  name: string,
  prepare: () => Promise<Engine>,
  { lacks = {} }: EngineNotes = {},
): EvaluatorUnderTest {
  let engine: Engine;
  let evaluator: Evaluator;
  let isLost = true;
  let folder: string;
  const others: Evaluator[] = [];

  beforeAll(async () => {
    engine = await prepare();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-lisp-')));
  });

  beforeEach(async () => {
    if (!isLost) return;
    // ASDF keeps what it compiles in the user's cache, and the user's own libraries must not be found.
    const environment = { XDG_CACHE_HOME: join(folder, 'cache'), HOME: folder };
    evaluator = await engine.start({ ...START, cwd: folder, projects: [folder], environment });
    isLost = false;
    void evaluator.lost.then(() => {
      isLost = true;
    });
  });

  afterEach(async () => {
    for (const other of others.splice(0)) await other.close();
  });

  afterAll(async () => {
    await evaluator?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const perform = (operation: Operation, options: Partial<PerformOptions> = {}) =>
    evaluator.perform(operation, { ...PATIENT, ...options });
  return {
    engine: () => engine,
    evaluator: () => evaluator,
    folder: () => folder,
    needs: (context, ability) => {
      if (lacks[ability] !== undefined) context.skip(`${name}: ${lacks[ability]}`);
    },
    perform,
    evaluate: (code, options) => perform({ kind: 'evaluate', code }, options),
    another: async (options = {}) => {
      const other = await engine.start({ ...START, ...options });
      others.push(other);
      return other;
    },
    file: async (fileName, text) => {
      const path = join(folder, fileName);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      return path;
    },
  };
}
