import { resolve } from 'node:path';
import type { Operation, Outcome, StartOptions } from '../../evaluator.ts';
import type { WorkerEvaluator } from './worker-evaluator.ts';

const PREPARE_TIMEOUT_MS = 120_000;

/** Brings a Lisp that has just started into the state that the options ask for. Closes it and rejects when that fails. */
export async function prepareEvaluator(evaluator: WorkerEvaluator, options: StartOptions): Promise<void> {
  const { load = [], projects = [], swankSecret } = options;
  if (projects.length > 0)
    await mustPerform(evaluator, { kind: 'set-projects', folders: projects }, 'Setting projects');
  for (const file of load) {
    const path = resolve(file);
    await mustPerform(evaluator, { kind: 'load-file', path }, `Loading ${path}`);
  }
  if (swankSecret === undefined) return;
  const { findings } = await mustPerform(evaluator, { kind: 'open-swank', secret: swankSecret }, 'Starting Swank');
  evaluator.swankPort = Number(findings?.[0]?.name);
}

async function mustPerform(evaluator: WorkerEvaluator, operation: Operation, what: string): Promise<Outcome> {
  const limits = { output: 10_000, value: 1000 };
  const outcome = await evaluator.perform(operation, { timeout: PREPARE_TIMEOUT_MS, limits });
  if (outcome.ok) return outcome;
  await evaluator.close();
  const { error, lost, interrupted } = outcome;
  const at = error?.line === undefined ? '' : `:${error.line}:${error.column}`;
  const why =
    error === undefined ? (lost?.message ?? `it was interrupted (${interrupted})`) : `${error.type}: ${error.message}`;
  throw new Error(`${what}${at} failed: ${why}`);
}
