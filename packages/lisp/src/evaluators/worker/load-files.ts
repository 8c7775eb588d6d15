import { resolve } from 'node:path';
import type { Evaluator } from '../../evaluator.ts';

const LOAD_TIMEOUT_MS = 120_000;

/** Loads what a user wants in every Lisp. Closes the evaluator and rejects when one of the files fails. */
export async function loadFiles(evaluator: Evaluator, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const path = resolve(file);
    const limits = { output: 10_000, value: 1000 };
    const outcome = await evaluator.perform({ kind: 'load-file', path }, { timeout: LOAD_TIMEOUT_MS, limits });
    if (outcome.ok) continue;
    await evaluator.close();
    const { error, lost, interrupted } = outcome;
    const at = error?.line === undefined ? '' : `:${error.line}:${error.column}`;
    const what =
      error === undefined
        ? (lost?.message ?? `it was interrupted (${interrupted})`)
        : `${error.type}: ${error.message}`;
    throw new Error(`Loading ${path}${at} failed: ${what}`);
  }
}
