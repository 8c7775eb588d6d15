import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PATIENT, START } from '../../../testing/evaluator-under-test.ts';
import type { Evaluator } from '../../evaluator.ts';
import { sbclEngine } from './engine.ts';

const SYSTEM = join(import.meta.dirname, '..', '..', '..', 'lisp');
const source = readFileSync(join(SYSTEM, 'sbcl.lisp'), 'utf8');

/** Every internal symbol that the worker looks up, as Lisp strings: its package and its name. */
const internals = [...source.matchAll(/\(internal(?:-call \()? ?("[^"]+" "[^"]+")/g)].map(([, symbol = '']) => symbol);

let folder: string;
let evaluator: Evaluator;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hawser-internals-'));
  const core = join(folder, 'without-internals.core');
  const remove = `(dolist (names '(${internals.map((symbol) => `(${symbol})`).join(' ')}))
    (let ((symbol (find-symbol (second names) (first names))))
      (when symbol (unintern symbol (symbol-package symbol)))))`;
  const forms = [`(sb-ext:without-package-locks ${remove})`, `(sb-ext:save-lisp-and-die "${core}")`];
  const options = ['--noinform', '--no-sysinit', '--no-userinit', '--disable-debugger'];
  execFileSync('sbcl', [...options, ...forms.flatMap((form) => ['--eval', form])], { stdio: 'pipe' });
  const program = join(folder, 'sbcl');
  writeFileSync(program, `#!/bin/sh\nexec sbcl --core ${core} "$@"\n`, { mode: 0o755 });
  evaluator = await sbclEngine({ environment: process.env, program }).start(START);
});
afterAll(async () => {
  await evaluator?.close();
  rmSync(folder, { recursive: true, force: true });
});

const evaluate = (code: string) => evaluator.perform({ kind: 'evaluate', code }, PATIENT);

it('the worker names no internal symbol of SBCL, but looks each up', () => {
  expect(internals.length).toBeGreaterThan(30);
  const files = readdirSync(SYSTEM).filter((name) => name.endsWith('.lisp'));
  const named = files.flatMap((file) =>
    readFileSync(join(SYSTEM, file), 'utf8')
      .split('\n')
      .filter((line) => /\bsb-[a-z-]+::|\bsb-(?:c|int|impl|kernel|unix|pcl|fasl|vm):/.test(line)),
  );
  expect(named).toEqual([]);
});

it('an SBCL without any of them evaluates', async () => {
  expect((await evaluate('(find-symbol "COMPILER-ERROR" "SB-C")')).values).toEqual(['NIL', 'NIL']);
  expect((await evaluate('(defun twice (x) (* 2 x)) (twice 21)')).values).toEqual(['42']);
  expect(await evaluate('(format t "printed")')).toMatchObject({ ok: true, stdout: 'printed' });
});

it('an SBCL without any of them reports errors and warnings', async () => {
  expect((await evaluate('(car (quote a))')).error).toMatchObject({ type: 'TYPE-ERROR' });
  expect((await evaluate('(warn "careful")')).warnings).toEqual(['SIMPLE-WARNING: careful']);
  expect((await evaluate('(defun broken () (let ((x)) (y')).error).toMatchObject({ phase: 'read' });
});

it('an SBCL without any of them is interrupted, and measures time', async () => {
  const outcome = await evaluator.perform({ kind: 'evaluate', code: '(loop)' }, { ...PATIENT, timeout: 200 });
  expect(outcome).toMatchObject({ interrupted: 'timeout' });
  expect(outcome.lost).toBeUndefined();
  expect(outcome.timing.realMs).toBeGreaterThan(100);
});

it('an SBCL without any of them describes what it can', async () => {
  const described = await evaluator.perform({ kind: 'describe-symbol', symbol: 'twice' }, PATIENT);
  expect(described.findings?.[0]).toMatchObject({ kind: 'function', name: 'TWICE' });
  const compiled = await evaluator.perform({ kind: 'compile', form: '(let ((unused 1)) 2)' }, PATIENT);
  expect(compiled.ok).toBe(true);
});
