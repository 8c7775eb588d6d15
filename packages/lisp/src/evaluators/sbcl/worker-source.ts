import { fileURLToPath } from 'node:url';
import { workerSource } from '../worker/source.ts';

let loaded: string | undefined;

/** The worker's Lisp for SBCL. */
export function sbclWorkerSource(): string {
  loaded ??= workerSource([here('sbcl')], [here('sbcl-frames'), here('sbcl-introspection'), here('sbcl-places')]);
  return loaded;
}

function here(name: string): string {
  return fileURLToPath(new URL(`./${name}.lisp`, import.meta.url));
}
