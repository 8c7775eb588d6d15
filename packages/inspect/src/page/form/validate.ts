import { workerStarter } from '@hawser/page-parts/trusted-scripts';
import type { SchemaError } from './schema-problems.ts';
import type { ValidatorAnswer, ValidatorRequest } from './validator-worker.ts';

export type Validation =
  | { readonly kind: 'checked'; readonly errors: readonly SchemaError[] }
  /** The schema can't be used. */
  | { readonly kind: 'failed'; readonly message: string };

const TIMEOUT_MS = 2000;

const startWorker = workerStarter('hawser-inspect', '/validator.js');

let worker: Promise<Worker> | undefined;
let lastId = 0;

/** Checks a value against a schema. A check that takes too long is ended; the start of the worker does not count. */
export async function validate(schema: object, value: unknown): Promise<Validation> {
  worker ??= startedWorker();
  const current = worker;
  let running: Worker;
  try {
    running = await current;
  } catch (error) {
    if (worker === current) worker = undefined;
    return { kind: 'failed', message: (error as Error).message };
  }
  lastId += 1;
  const id = lastId;
  return new Promise((resolve) => {
    const end = (validation: Validation) => {
      clearTimeout(timer);
      running.removeEventListener('message', receive);
      resolve(validation);
    };
    const receive = ({ data }: MessageEvent<ValidatorAnswer>) => {
      if (data.id !== id) return;
      end('errors' in data ? { kind: 'checked', errors: data.errors } : { kind: 'failed', message: data.failure });
    };
    const timer = setTimeout(() => {
      running.terminate();
      if (worker === current) worker = undefined;
      end({
        kind: 'failed',
        message: `The check took more than ${TIMEOUT_MS / 1000} seconds; a pattern may be at fault.`,
      });
    }, TIMEOUT_MS);
    running.addEventListener('message', receive);
    const request: ValidatorRequest = { id, schema, value };
    running.postMessage(request);
  });
}

/** Resolves when the worker says that it has started. */
function startedWorker(): Promise<Worker> {
  const starting = startWorker();
  return new Promise((resolve, reject) => {
    starting.addEventListener('message', () => resolve(starting), { once: true });
    starting.addEventListener('error', () => reject(new Error('the script that checks could not be loaded.')), {
      once: true,
    });
  });
}
