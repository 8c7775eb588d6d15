import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Engine, Evaluator, StartOptions } from '../../evaluator.ts';
import { prepareEvaluator } from '../worker/prepare-evaluator.ts';
import { WorkerEvaluator } from '../worker/worker-evaluator.ts';
import { Attachment, type SwankAddress } from './attachment.ts';

const START_TIMEOUT_MS = 30_000;

/** Serves an SBCL that the user has started, through its Swank. Each evaluator is a thread in that image. */
export function attachedEngine(address: SwankAddress, workerSource: () => string): Engine {
  return {
    name: 'Swank',
    keepsDefinitions: true,
    missing: () => undefined,
    async start(options: StartOptions): Promise<Evaluator> {
      const source = `${workerSource()}\n${readFileSync(attachingLisp, 'utf8')}`;
      const evaluator = new WorkerEvaluator((listener) => new Attachment(address, source, listener));
      await evaluator.started(START_TIMEOUT_MS);
      await prepareEvaluator(evaluator, options);
      return evaluator;
    },
  };
}

const attachingLisp = fileURLToPath(new URL('./attaching.lisp', import.meta.url));
