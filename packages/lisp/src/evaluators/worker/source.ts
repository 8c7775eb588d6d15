import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Set by the bundler: loading node:crypto and reading the Lisp takes as long as SBCL takes to start. */
declare const LISP_FINGERPRINT: string | undefined;

/** All of the worker's Lisp for one engine: `primitives` are loaded early, `knowledge` after what it builds on. */
export function workerSource(primitives: readonly string[], knowledge: readonly string[]): string {
  const paths = [
    here('package'),
    ...primitives,
    ...['json', 'output', 'printing', 'source-text', 'commands', 'jobs', 'places', 'errors', 'systems'].map(here),
    ...['diagnostics', 'advice'].map(here),
    ...knowledge,
    ...['evaluation', 'debugger', 'definitions', 'inspector', 'testing', 'tracing', 'swank'].map(here),
    ...['operations', 'ending', 'serving', 'seal'].map(here),
  ];
  return paths.map((path) => readFileSync(path, 'utf8')).join('\n');
}

/** Changes with the Lisp. */
export function fingerprintOf(source: () => string): string {
  if (typeof LISP_FINGERPRINT === 'string') return LISP_FINGERPRINT;
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(source()).digest('hex').slice(0, 32);
}

// The bundler copies the Lisp beside the bundle, so a name without a folder finds it in both places.
function here(name: string): string {
  return fileURLToPath(new URL(`./${name}.lisp`, import.meta.url));
}
