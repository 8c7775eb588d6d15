import { workerStarter } from '@hawser/page-parts/trusted-scripts';
import type { Validation, ValidatorRequest } from './validator-worker.ts';

/** A busy machine takes its time for a harmless schema. */
const TIMEOUT_MS = 5000;

/** Checks values against schemas in a worker, which starts with the first check. */
export class Validator {
  readonly #start = workerStarter('hawser-inspect', '/validator.js');
  #worker: Promise<Worker> | undefined;

  /** A check that takes too long is ended; the start of the worker does not count. */
  async check(schema: object, value: unknown): Promise<Validation> {
    this.#worker ??= whenStarted(this.#start());
    const worker = this.#worker;
    try {
      return await answerOf(await worker, { schema, value });
    } catch (error) {
      // The next check starts another one.
      if (this.#worker === worker) this.#worker = undefined;
      return { kind: 'failed', message: (error as Error).message };
    }
  }
}

/** Resolves when the worker says that it has started. */
function whenStarted(worker: Worker): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the script that checks could not be loaded.'));
    worker.addEventListener('message', () => resolve(worker), { once: true });
    worker.addEventListener('error', fail, { once: true });
  });
}

function answerOf(worker: Worker, request: ValidatorRequest): Promise<Validation> {
  const { port1: own, port2: theirs } = new MessageChannel();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      worker.terminate();
      reject(new Error(`The check took more than ${TIMEOUT_MS / 1000} seconds; a pattern may be at fault.`));
    }, TIMEOUT_MS);
    own.onmessage = ({ data }: MessageEvent<Validation>) => {
      clearTimeout(timer);
      own.close();
      resolve(data);
    };
    worker.postMessage(request, [theirs]);
  });
}
