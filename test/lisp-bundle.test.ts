import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { joinSystem } from '../packages/lisp/src/evaluators/worker/join-system.ts';
import { LISP_PROGRAM } from './lisp-program.ts';

const folder = join(dirname(LISP_PROGRAM), 'chunks');
const SYSTEM = join(import.meta.dirname, '..', 'packages', 'lisp', 'lisp');

it.each(['sbcl', 'ecl'] as const)('the worker for %s is shipped as one file, made from its system', (engine) => {
  const shipped = readFileSync(join(folder, `hawser-worker-${engine}.lisp`), 'utf8');
  expect(shipped === joinSystem(SYSTEM, engine)).toBe(true);
  const files = readdirSync(SYSTEM).filter((name) => name.endsWith('.lisp'));
  const others = engine === 'sbcl' ? ['ecl.lisp'] : ['sbcl.lisp'];
  for (const name of files) {
    const isShipped = shipped.includes(readFileSync(join(SYSTEM, name), 'utf8'));
    expect([name, isShipped]).toEqual([name, !others.includes(name)]);
  }
});

it('the built program knows the fingerprint of its worker, so that no core of another one is used', () => {
  const worker = readFileSync(join(folder, 'hawser-worker-sbcl.lisp'));
  const fingerprint = createHash('sha256').update(worker).digest('hex').slice(0, 32);
  // A comparison of the texts would print the whole program.
  const isKnown = readFileSync(join(folder, 'command-line.cjs'), 'utf8').includes(`"${fingerprint}"`);
  expect(isKnown).toBe(true);
});
