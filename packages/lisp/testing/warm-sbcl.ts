import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type SbclEngine, sbclEngine } from '../src/evaluators/sbcl/engine.ts';

/** One SBCL with its core built, for all tests of a file. */
export function warmSbcl(): () => Promise<SbclEngine> {
  let cacheFolder: string;
  let engine: SbclEngine;

  beforeAll(async () => {
    cacheFolder = await mkdtemp(join(tmpdir(), 'hawser-cores-'));
    engine = sbclEngine({ environment: process.env, cacheFolder });
    await engine.warm();
  });

  afterAll(() => rm(cacheFolder, { recursive: true, force: true, maxRetries: 5 }));

  return async () => engine;
}
