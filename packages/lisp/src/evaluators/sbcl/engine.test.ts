import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeDebugger } from '../../debugger.contract.ts';
import { describeErrors } from '../../errors.contract.ts';
import { describeEvaluator } from '../../evaluator.contract.ts';
import { describeOperations } from '../../operations.contract.ts';
import { describeSystems } from '../../systems.contract.ts';
import { describeTesting } from '../../testing.contract.ts';
import { type SbclEngine, sbclEngine } from './engine.ts';

let cacheFolder: string;
let engine: SbclEngine;

beforeAll(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'hawser-cores-'));
  engine = sbclEngine({ environment: process.env, cacheFolder });
  await engine.warm();
}, 60_000);

afterAll(() => rm(cacheFolder, { recursive: true, force: true, maxRetries: 5 }));

const prepare = async () => engine;

describeEvaluator('SBCL', prepare);
describeErrors('SBCL', prepare);
describeDebugger('SBCL', prepare);
describeOperations('SBCL', prepare);
describeSystems('SBCL', prepare);
describeTesting('SBCL', prepare);
