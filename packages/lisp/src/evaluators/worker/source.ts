import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Worked out by the bundler: to load node:crypto and to read the Lisp takes as long as SBCL takes to start. */
declare const LISP_FINGERPRINT: string | undefined;

/** All of the worker's Lisp for one engine, whose primitives come early and whose knowledge of itself comes later. */
export function workerSource(primitives: readonly string[], knowledge: readonly string[]): string {
  const paths = [
    here('package'),
    ...primitives,
    ...['json', 'output', 'printing', 'source-text', 'jobs', 'errors'].map(here),
    ...knowledge,
    ...['evaluation', 'commands', 'debugger', 'definitions', 'operations', 'ending', 'serving', 'seal'].map(here),
  ];
  return paths.map((path) => readFileSync(path, 'utf8')).join('\n');
}

/** Another for other Lisp. */
export function fingerprintOf(source: () => string): string {
  if (typeof LISP_FINGERPRINT === 'string') return LISP_FINGERPRINT;
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(source()).digest('hex').slice(0, 32);
}

// The bundler copies the Lisp beside the bundle, so a name without a folder finds it in both places.
function here(name: string): string {
  return fileURLToPath(new URL(`./${name}.lisp`, import.meta.url));
}
