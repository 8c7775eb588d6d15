import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EngineNotes, PATIENT, START, useEvaluator } from '../testing/evaluator-under-test.ts';
import type { Engine } from './evaluator.ts';

const { limits } = PATIENT;

/** What every evaluator must do with code. `prepare` is called once, before the tests. */
export function describeEvaluator(name: string, prepare: () => Promise<Engine>, notes: EngineNotes = {}): void {
  describe(`${name} keeps the contract of an evaluator`, () => {
    const { engine, evaluator, folder, needs, perform, evaluate, another, file } = useEvaluator(name, prepare, notes);

    describe('values', () => {
      it('the engine and its version are named', () => {
        expect(evaluator().engine).toMatch(/^[A-Z]+ \d+\./);
        expect(engine().missing()).toBeUndefined();
      });

      it.for([
        ['(+ 1 2)', ['3']],
        ['(values 1 "two" :three)', ['1', '"two"', ':THREE']],
        ['(values)', []],
        ['', []],
        ['; nothing but a comment', []],
        ['1 2 3', ['3']],
        ['(expt 2 100)', ['1267650600228229401496703205376']],
        ['(/ 1 3)', ['1/3']],
        ["'(a . b)", ['(A . B)']],
        ['(char-code #\\λ)', ['955']],
        ['"λ 😀"', ['"λ 😀"']],
      ] as const)('%s has its values', async ([code, values]) => {
        expect(await evaluate(code)).toMatchObject({ ok: true, values });
      });

      it('what one evaluation defines, the next one finds', async () => {
        await evaluate('(defvar *kept* 41) (defun kept () (1+ *kept*))');
        expect((await evaluate('(kept)')).values).toEqual(['42']);
      });

      it('the variables of the read-eval-print loop work', async () => {
        await evaluate('(+ 1 1)');
        await evaluate('(values 5 6)');
        expect((await evaluate('(list * ** / +)')).values).toEqual(['(5 2 (5 6) (VALUES 5 6))']);
        expect((await evaluate('(equal - (quote (equal - (quote nil))))')).ok).toBe(true);
        expect((await evaluate('-')).values).toEqual(['-']);
      });

      it('a form is read after the one before it was evaluated', async () => {
        const code =
          '(defpackage :form-by-form (:use :cl)) (in-package :form-by-form) (defun f () 1) (form-by-form::f)';
        expect(await evaluate(code)).toMatchObject({ ok: true, values: ['1'], package: 'FORM-BY-FORM' });
        expect((await evaluate('(package-name *package*)')).values).toEqual(['"FORM-BY-FORM"']);
        expect(await evaluate('(in-package :cl-user)')).toMatchObject({ package: 'COMMON-LISP-USER' });
      });

      it('a package given for one operation is left again', async () => {
        await evaluate('(defpackage :visited (:use :cl))');
        const visit = await perform({ kind: 'evaluate', code: '(package-name *package*)', package: 'visited' });
        expect(visit).toMatchObject({ values: ['"VISITED"'], package: 'COMMON-LISP-USER' });
        expect((await evaluate('(package-name *package*)')).values).toEqual(['"COMMON-LISP-USER"']);
      });

      it('ASDF is there without being asked for', async () => {
        expect((await evaluate('(asdf:component-name (asdf:find-system :asdf))')).values).toEqual(['"asdf"']);
      });

      it('an unknown package is an error that names it', async () => {
        const outcome = await perform({ kind: 'evaluate', code: '1', package: 'nowhere' });
        expect(outcome.ok).toBe(false);
        expect(outcome.error?.types).toContain('PACKAGE-ERROR');
        expect(outcome.error?.message).toContain('nowhere');
      });

      it('a long value is cut', async () => {
        const { ok, values, warnings } = await evaluate('(make-list 100000)');
        expect(ok).toBe(true);
        expect(values[0]).toMatch(/^\(NIL NIL/);
        expect(values[0]).toMatch(/…$/);
        expect(values[0]?.length).toBeLessThanOrEqual(limits.value + 1);
        expect(warnings).toEqual([expect.stringContaining('The first 2000 characters of a value are shown')]);
      });

      it('a circular value is printed with labels', async () => {
        const { values } = await evaluate('(let ((l (list 1 2 3))) (setf (cdddr l) l) l)');
        expect(values).toEqual(['#1=(1 2 3 . #1#)']);
      });

      it('an object whose print method fails is shown without it, and a warning says so', async () => {
        const outcome = await evaluate(
          '(defclass unprintable () ()) (defmethod print-object ((x unprintable) s) (error "not me")) (make-instance \'unprintable)',
        );
        expect(outcome).toMatchObject({ ok: true, values: ['#<UNPRINTABLE>'] });
        expect(outcome.warnings.join()).toContain('not me');
      });

      it('the settings of the printer are obeyed and do no harm', async () => {
        await evaluate('(defvar *base* (setf *print-base* 2))');
        const { values, error } = await evaluate('(values 5 (list 1 2))');
        expect(error).toBeUndefined();
        expect(values).toEqual(['101', '(1 10)']);
        await evaluate('(setf *print-base* 10.)');
        expect((await evaluate('5')).values).toEqual(['5']);
      });
    });

    describe('streams', () => {
      it('standard output and error output are kept apart', async () => {
        const { stdout, stderr, values } = await evaluate(
          '(progn (format t "out~%") (format *error-output* "err~%") (format *trace-output* "trace~%") 1)',
        );
        expect({ stdout, stderr, values }).toEqual({ stdout: 'out\ntrace\n', stderr: 'err\n', values: ['1'] });
      });

      it('standard input is the text given, and ends', async () => {
        const code = '(list (read-line) (read) (read-line *standard-input* nil :end) (read-line *query-io* nil :end))';
        const { values } = await perform({ kind: 'evaluate', code, stdin: 'one\n(two)' });
        expect(values).toEqual(['("one" (TWO) :END :END)']);
        expect((await evaluate('(read-line)')).error?.types).toContain('END-OF-FILE');
      });

      it('output arrives while the code runs', async () => {
        const received: string[] = [];
        let release: (() => void) | undefined;
        const first = new Promise<void>((resolve) => {
          release = resolve;
        });
        const outcome = evaluate('(progn (format t "begun~%") (finish-output) (loop))', {
          timeout: 0,
          onOutput: (stream, text) => {
            received.push(`${stream}: ${text}`);
            release?.();
          },
        });
        await first;
        evaluator().interrupt();
        expect(await outcome).toMatchObject({ interrupted: 'request', stdout: 'begun\n' });
        expect(received).toEqual(['stdout: begun\n']);
      });

      it('too much output is cut and counted', async () => {
        const { stdout } = await evaluate('(dotimes (i 30000) (write-char #\\x))');
        expect(stdout).toBe(
          `${'x'.repeat(20_000)}…\n(20000 of 30000 characters; raise "output" with configure-limits to see more)`,
        );
      });

      it('every character survives', async () => {
        const codes = [0, 1, 8, 9, 10, 13, 27, 34, 92, 127, 128, 0x2028, 0xfffd, 0x1f600];
        const text = String.fromCodePoint(...codes);
        const { stdout } = await evaluate(`(dolist (c '(${codes.join(' ')})) (write-char (code-char c)))`);
        expect(stdout).toBe(text);
        const literal = 'a\u0000b\u0007\u2028"\\\u{1f600}';
        const code = `(length ${JSON.stringify('x')}) "${literal.replace(/["\\]/g, '\\$&')}"`;
        expect((await evaluate(code)).values).toEqual([`"${literal.replace(/["\\]/g, '\\$&')}"`]);
      });
    });

    describe('time', () => {
      it('a timeout interrupts, and the same Lisp goes on', async () => {
        await evaluate('(defvar *survives* 1)');
        const started = performance.now();
        const outcome = await evaluate('(loop)', { timeout: 200 });
        expect(outcome).toMatchObject({ ok: false, interrupted: 'timeout' });
        expect(outcome.lost).toBeUndefined();
        expect(performance.now() - started).toBeLessThan(PATIENT.timeout);
        expect((await evaluate('*survives*')).values).toEqual(['1']);
      });

      it('code that handles every condition is interrupted all the same', async () => {
        const outcome = await evaluate('(loop (handler-case (loop) (serious-condition () nil) (condition () nil)))', {
          timeout: 200,
        });
        expect(outcome).toMatchObject({ ok: false, interrupted: 'timeout' });
        expect(outcome.lost).toBeUndefined();
      });

      it('a cleanup form is interrupted', async () => {
        const outcome = await evaluate('(unwind-protect (loop) (loop))', { timeout: 200 });
        expect(outcome).toMatchObject({ ok: false, interrupted: 'timeout' });
        expect(outcome.lost).toBeUndefined();
      });

      it('a loop written as mutual recursion is a loop', async (context) => {
        needs(context, 'merged-tail-calls');
        const { error, values } = await evaluate(
          '(defun even-p (n) (if (= n 0) t (odd-p (1- n)))) (defun odd-p (n) (if (= n 0) nil (even-p (1- n)))) (even-p 1000000)',
        );
        expect({ error, values }).toEqual({ error: undefined, values: ['T'] });
      });

      it('sleeping code is interrupted', async () => {
        expect(await evaluate('(sleep 1000)', { timeout: 200 })).toMatchObject({ interrupted: 'timeout' });
      });

      it('an aborted signal interrupts, and the promise rejects with its reason', async () => {
        const controller = new AbortController();
        const reason = new Error('not needed any more');
        const running = evaluate('(progn (format t "x") (loop))', {
          signal: controller.signal,
          onOutput: () => controller.abort(reason),
        });
        await expect(running).rejects.toBe(reason);
        await expect(evaluate('1', { signal: controller.signal })).rejects.toBe(reason);
        expect((await evaluate('(+ 1 1)')).values).toEqual(['2']);
      });

      it('interrupts at whatever moment leave the same Lisp, with the right answers', async () => {
        await evaluate('(defvar *still-here* :yes)');
        const interruptible = [
          '(loop repeat 200000)',
          '(unwind-protect (sleep 0.002) (sleep 0.001))',
          '(format t "x")',
        ];
        for (let count = 0; count < 150; count++) {
          const code = `${interruptible[count % interruptible.length]} ${count}`;
          const { lost, interrupted, error, values } = await evaluate(code, { timeout: 1 + (count % 4) });
          expect({ lost, error }).toEqual({ lost: undefined, error: undefined });
          if (interrupted === undefined) expect(values).toEqual([String(count)]);
        }
        expect((await evaluate('*still-here*')).values).toEqual([':YES']);
      });

      it('an operation is rejected while another one runs', async () => {
        const running = evaluate('(sleep 0.2)');
        await expect(evaluate('1')).rejects.toThrow('performs another operation');
        expect((await running).ok).toBe(true);
        expect((await evaluate('2')).values).toEqual(['2']);
      });

      it('a listener that throws costs nothing, and the outcome says so', async () => {
        const outcome = await evaluate('(progn (format t "x") (finish-output) (sleep 0.3) (format t "y") 1)', {
          onOutput: () => {
            throw new Error('bad listener');
          },
        });
        expect(outcome).toMatchObject({ ok: true, values: ['1'], stdout: 'xy' });
        expect(outcome.lost).toBeUndefined();
        expect(outcome.warnings).toEqual(['The listener for output failed: bad listener']);
      });

      it('an outcome says how long the evaluation took', async () => {
        const { timing } = await evaluate('(sleep 0.1)');
        expect(timing.realMs).toBeGreaterThanOrEqual(99);
        expect(timing.runMs).toBeLessThan(timing.realMs);
      });
    });

    describe('life', () => {
      it('evaluators know nothing of each other', async (context) => {
        needs(context, 'own-process');
        const [one, two] = await Promise.all([another(), another()]);
        await one.perform({ kind: 'evaluate', code: '(defvar *mine* 1)' }, PATIENT);
        const { ok } = await two.perform({ kind: 'evaluate', code: '*mine*' }, PATIENT);
        expect(ok).toBe(false);
      });

      it('it runs in the given folder, with the given environment and files', async (context) => {
        needs(context, 'own-process');
        const path = await file('first.lisp', '(defvar *loaded-first* :yes)');
        await file('here.txt', 'found');
        const other = await another({ cwd: folder(), environment: { HAWSER_TEST: 'given' }, load: [path] });
        const code =
          '(list *loaded-first* (with-open-file (s "here.txt") (read-line s)) #+sbcl (sb-ext:posix-getenv "HAWSER_TEST") #+ecl (ext:getenv "HAWSER_TEST"))';
        expect((await other.perform({ kind: 'evaluate', code }, PATIENT)).values).toEqual(['(:YES "found" "given")']);
      });

      it('a missing folder is named in the rejection', async (context) => {
        needs(context, 'own-process');
        await expect(engine().start({ ...START, cwd: join(folder(), 'no-folder') })).rejects.toThrow(/no-folder/);
      });

      it('a file that fails at the start is named in the rejection', async () => {
        const path = await file('fails.lisp', '\n(error "at the start")');
        await expect(engine().start({ ...START, load: [path] })).rejects.toThrow(/fails\.lisp:2:0.*at the start/s);
      });

      it('a closed evaluator answers every operation with its loss', async () => {
        const other = await another();
        const running = other.perform({ kind: 'evaluate', code: '(loop)' }, { ...PATIENT, timeout: 0 });
        await Promise.all([other.close(), other.close()]);
        expect(await running).toMatchObject({ ok: false, lost: { kind: 'closed' } });
        expect(await other.lost).toMatchObject({ kind: 'closed' });
        const later = await other.perform({ kind: 'evaluate', code: '1' }, PATIENT);
        expect(later).toMatchObject({ ok: false, lost: { kind: 'closed' } });
        await other.close();
      });
    });
  });
}
