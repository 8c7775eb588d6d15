import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type WorkerEngine = 'sbcl' | 'ecl';

const COMPONENT = /\(:file "([^"]+)"(?: :if-feature :(\w+))?\)/g;

/** The files of the system `hawser-worker` in a folder, in the order of its definition, as one text for an engine. */
export function joinSystem(folder: string, engine: WorkerEngine): string {
  const [definition = ''] = readFileSync(join(folder, 'hawser-worker.asd'), 'utf8').split(
    '(defsystem "hawser-worker/tests"',
  );
  return [...definition.matchAll(COMPONENT)]
    .filter(([, , feature]) => feature === undefined || feature === engine)
    .map(([, name]) => readFileSync(join(folder, `${name}.lisp`), 'utf8'))
    .join('\n');
}
