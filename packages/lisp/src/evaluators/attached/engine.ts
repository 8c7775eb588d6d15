import type { Engine, Evaluator, StartOptions } from '../../evaluator.ts';
import { prepareEvaluator } from '../worker/prepare-evaluator.ts';
import { workerSource } from '../worker/source.ts';
import { WorkerEvaluator } from '../worker/worker-evaluator.ts';
import { Attachment, type ImageAddress } from './attachment.ts';

/** Long: workers are loaded one after the other, and a user's image may be busy. One that is not there is noticed sooner. */
const START_TIMEOUT_MS = 120_000;

/** Serves an SBCL that the user has started, through its Swank or Slynk. Each evaluator is a thread in that image. */
export function attachedEngine(address: ImageAddress): Engine {
  return {
    name: address.server,
    keepsDefinitions: true,
    missing: () => undefined,
    async start(options: StartOptions): Promise<Evaluator> {
      const evaluator = new WorkerEvaluator((listener) => new Attachment(address, workerSource('sbcl'), listener));
      await evaluator.started(START_TIMEOUT_MS);
      await prepareEvaluator(evaluator, options);
      return evaluator;
    },
  };
}
