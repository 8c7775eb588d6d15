import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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

// The bundler copies the Lisp beside the bundle, so a name without a folder finds it in both places.
function here(name: string): string {
  return fileURLToPath(new URL(`./${name}.lisp`, import.meta.url));
}
