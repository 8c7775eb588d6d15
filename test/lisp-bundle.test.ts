import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { LISP_PROGRAM } from './lisp-program.ts';

it('the built program knows the fingerprint of all the Lisp beside it, so that no core of other Lisp is used', () => {
  const folder = join(dirname(LISP_PROGRAM), 'chunks');
  const files = readdirSync(folder).filter((name) => name.endsWith('.lisp'));
  expect(files.length).toBeGreaterThan(10);
  const hash = createHash('sha256');
  for (const name of files.sort()) hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  // A comparison of the texts would print the whole program.
  const isKnown = readFileSync(join(folder, 'command-line.cjs'), 'utf8').includes(
    `"${hash.digest('hex').slice(0, 32)}"`,
  );
  expect(isKnown).toBe(true);
});
