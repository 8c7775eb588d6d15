import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { joinSystem, type WorkerEngine } from './join-system.ts';

/** Set by the bundler: loading node:crypto and reading the Lisp takes as long as SBCL takes to start. */
declare const LISP_FINGERPRINT: string | undefined;

/** The worker's Lisp for an engine. The bundler has put it beside the bundle. */
export function workerSource(engine: WorkerEngine): string {
  return typeof LISP_FINGERPRINT === 'string'
    ? readFileSync(fileURLToPath(new URL(`./hawser-worker-${engine}.lisp`, import.meta.url)), 'utf8')
    : joinSystem(fileURLToPath(new URL('../../../lisp', import.meta.url)), engine);
}

/** Changes with the worker's Lisp for SBCL. */
export function workerFingerprint(): string {
  if (typeof LISP_FINGERPRINT === 'string') return LISP_FINGERPRINT;
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(workerSource('sbcl')).digest('hex').slice(0, 32);
}
