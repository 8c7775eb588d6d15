import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import type { Engine, Evaluator, Finding, Operation, Outcome, PerformOptions } from './evaluator.ts';

/** What an engine may lack; the reason is printed with the tests that are skipped for it. */
export type Ability = 'locals' | 'evaluate-in-frame' | 'frames' | 'xref' | 'compiler-positions' | 'merged-tail-calls';

export interface EngineNotes {
  readonly lacks?: Partial<Record<Ability, string>>;
}

const limits = { output: 20_000, value: 2000 };
const PATIENT: PerformOptions = { timeout: 20_000, limits };
const START = { heapMegabytes: 512 };

/** What every evaluator must do. `engine` is asked for once, before the tests. */
export function describeEvaluator(
  name: string,
  prepare: () => Promise<Engine>,
  { lacks = {} }: EngineNotes = {},
): void {
  describe(`${name} keeps the contract of an evaluator`, { timeout: 30_000 }, () => {
    let engine: Engine;
    let evaluator: Evaluator;
    let isLost = true;
    let folder: string;
    const others: Evaluator[] = [];

    beforeAll(async () => {
      engine = await prepare();
      folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-lisp-')));
    }, 60_000);

    beforeEach(async () => {
      if (!isLost) return;
      // ASDF keeps what it compiles in the user's cache.
      evaluator = await engine.start({ ...START, cwd: folder, environment: { XDG_CACHE_HOME: folder } });
      isLost = false;
      void evaluator.lost.then(() => {
        isLost = true;
      });
    }, 60_000);

    afterEach(async () => {
      for (const other of others.splice(0)) await other.close();
    });

    afterAll(async () => {
      await evaluator?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const needs = (context: TestContext, ability: Ability) => {
      if (lacks[ability] !== undefined) context.skip(`${name}: ${lacks[ability]}`);
    };
    const perform = (operation: Operation, options: Partial<PerformOptions> = {}) =>
      evaluator.perform(operation, { ...PATIENT, ...options });
    const evaluate = (code: string, options: Partial<PerformOptions> = {}): Promise<Outcome> =>
      perform({ kind: 'evaluate', code }, options);
    const another = async (options = {}) => {
      const other = await engine.start({ ...START, ...options });
      others.push(other);
      return other;
    };
    const file = async (fileName: string, text: string) => {
      const path = join(folder, fileName);
      await writeFile(path, text);
      return path;
    };

    describe('values', () => {
      it('it says which engine ran', () => {
        expect(evaluator.engine).toMatch(/^[A-Z]+ \d+\./);
        expect(engine.missing()).toBeUndefined();
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

      it('an unknown package is an error that names it', async () => {
        const outcome = await perform({ kind: 'evaluate', code: '1', package: 'nowhere' });
        expect(outcome.ok).toBe(false);
        expect(outcome.error?.types).toContain('PACKAGE-ERROR');
        expect(outcome.error?.message).toContain('nowhere');
      });

      it('a long value is cut', async () => {
        const { ok, values } = await evaluate('(make-list 100000)');
        expect(ok).toBe(true);
        expect(values[0]).toMatch(/^\(NIL NIL/);
        expect(values[0]).toMatch(/…$/);
        expect(values[0]?.length).toBeLessThanOrEqual(limits.value + 1);
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

      it('output is heard while it comes', async () => {
        const heard: string[] = [];
        let release: (() => void) | undefined;
        const first = new Promise<void>((resolve) => {
          release = resolve;
        });
        const outcome = evaluate('(progn (format t "begun~%") (finish-output) (loop))', {
          timeout: 0,
          onOutput: (stream, text) => {
            heard.push(`${stream}: ${text}`);
            release?.();
          },
        });
        await first;
        evaluator.interrupt();
        expect(await outcome).toMatchObject({ interrupted: 'request', stdout: 'begun\n' });
        expect(heard).toEqual(['stdout: begun\n']);
      });

      it('too much output is cut and counted', async () => {
        const { stdout } = await evaluate('(dotimes (i 30000) (write-char #\\x))');
        expect(stdout).toBe(`${'x'.repeat(20_000)}… (10000 more characters)`);
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

    describe('warnings', () => {
      it('a warning is collected and does not stop the evaluation', async () => {
        const outcome = await evaluate('(progn (warn "careful ~a" 1) 2)');
        expect(outcome).toMatchObject({ ok: true, values: ['2'], warnings: ['SIMPLE-WARNING: careful 1'] });
      });

      it('a signal that nobody handles has no effect', async () => {
        expect(await evaluate("(signal 'error)")).toMatchObject({ ok: true, values: ['NIL'] });
      });
    });

    describe('errors', () => {
      it('an error has its type, the types above it, a message and a place', async () => {
        const { ok, values, error } = await evaluate('(defvar *before* 1)\n\n  (/ *before* 0)');
        expect({ ok, values }).toEqual({ ok: false, values: [] });
        expect(error).toMatchObject({ type: 'DIVISION-BY-ZERO', phase: 'evaluate', form: 2, line: 3, column: 2 });
        expect(error?.types).toEqual(
          expect.arrayContaining(['ARITHMETIC-ERROR', 'ERROR', 'SERIOUS-CONDITION', 'CONDITION']),
        );
        expect(error?.types.indexOf('ARITHMETIC-ERROR')).toBeLessThan(error?.types.indexOf('CONDITION') ?? 0);
        expect(error?.message).not.toBe('');
      });

      it('a condition of one’s own keeps its type and report', async () => {
        const { error } = await evaluate(
          '(define-condition own-trouble (error) ((n :initarg :n)) (:report (lambda (c s) (format s "trouble ~a" (slot-value c \'n))))) (error \'own-trouble :n 7)',
        );
        expect(error).toMatchObject({ type: 'OWN-TROUBLE', message: 'trouble 7', form: 2 });
        expect(error?.types.slice(0, 2)).toEqual(['OWN-TROUBLE', 'ERROR']);
      });

      it('what was done before an error stays done', async () => {
        const outcome = await evaluate('(defvar *done* 1) (format t "said") (error "then this") (setf *done* 2)');
        expect(outcome).toMatchObject({ ok: false, stdout: 'said', error: { form: 3 } });
        expect((await evaluate('*done*')).values).toEqual(['1']);
      });

      it('restarts are listed, and the last one abandons the evaluation', async () => {
        const { error } = await evaluate('(restart-case (error "x") (carry-on () :report "Carry on."))');
        expect(error?.restarts[0]).toEqual({ name: 'CARRY-ON', description: 'Carry on.' });
        expect(error?.restarts.at(-1)?.name).toBe('ABORT');
        expect(error?.restarts).toHaveLength(2);
      });

      it('frames are those of the evaluated code, innermost first, without its print methods', async (context) => {
        needs(context, 'frames');
        const { error } = await evaluate(
          '(defclass shy () ()) (defmethod print-object ((x shy) s) (error "no")) (defun inner (x) (when x (error "deep")) (list x)) (defun outer (x) (list (inner x))) (outer (make-instance \'shy))',
        );
        expect(error?.frames.slice(0, 2)).toEqual(['(INNER #<SHY>)', '(OUTER #<SHY>)']);
      });

      it('at most eight frames are told', async (context) => {
        needs(context, 'frames');
        const { error } = await evaluate(
          '(defun down (n) (list (if (= n 0) (error "bottom") (down (1- n))))) (down 100)',
        );
        expect(error?.frames).toHaveLength(8);
        expect(error?.frames[0]).toBe('(DOWN 0)');
      });

      it.for([
        ['(invoke-debugger (make-condition (quote simple-error) :format-control "direct"))', 'SIMPLE-ERROR'],
        ["(error 'serious-condition)", 'SERIOUS-CONDITION'],
        ["(error 'storage-condition)", 'STORAGE-CONDITION'],
        ['(break)', 'SIMPLE-CONDITION'],
        ['(abort)', 'ABORT'],
        ['(undefined-function-of-no-name 1)', 'UNDEFINED-FUNCTION'],
        ['unbound-variable-of-no-name', 'UNBOUND-VARIABLE'],
      ] as const)('%s is the error %s', async ([code, type]) => {
        const { ok, error } = await evaluate(code);
        expect({ ok, type: error?.type }).toEqual({ ok: false, type });
      });

      it('an error that cannot be reported is still reported', async () => {
        const { ok, error } = await evaluate(
          '(define-condition mute (error) () (:report (lambda (c s) (declare (ignore c s)) (error "no report")))) (error \'mute)',
        );
        expect({ ok, type: error?.type }).toEqual({ ok: false, type: 'MUTE' });
      });

      it('an unclosed form is told where it begins', async () => {
        const { error } = await evaluate('(list 1)\n  (list 2');
        expect(error).toMatchObject({ type: 'END-OF-FILE', phase: 'read', form: 2, line: 2, column: 2 });
      });

      it('a reader error is told where it is', async () => {
        const { error } = await evaluate('(list 1)\n(list (no-such-package:name 1))');
        expect(error).toMatchObject({ phase: 'read', form: 2, line: 2 });
        expect(error?.types).toContain('ERROR');
        expect(error?.column).toBeGreaterThan(5);
      });

      it('forms before a reader error have been evaluated', async () => {
        expect((await evaluate('(defvar *read-before* :yes) )')).error?.phase).toBe('read');
        expect((await evaluate('*read-before*')).values).toEqual([':YES']);
      });
    });

    describe('time', () => {
      it('a timeout interrupts, and the same Lisp goes on', async () => {
        await evaluate('(defvar *survives* 1)');
        const started = performance.now();
        const outcome = await evaluate('(loop)', { timeout: 200 });
        expect(outcome).toMatchObject({ ok: false, interrupted: 'timeout' });
        expect(outcome.lost).toBeUndefined();
        expect(performance.now() - started).toBeLessThan(5000);
        expect((await evaluate('*survives*')).values).toEqual(['1']);
      });

      it('code that handles every condition is interrupted all the same', async () => {
        const outcome = await evaluate('(loop (handler-case (loop) (serious-condition () nil) (condition () nil)))', {
          timeout: 200,
        });
        expect(outcome).toMatchObject({ ok: false, interrupted: 'timeout' });
        expect(outcome.lost).toBeUndefined();
      });

      it('so is a cleanup form', async () => {
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
      }, 20_000);

      it('operations run one at a time, in the order they were given', async () => {
        await evaluate("(defvar *order* '())");
        const all = Array.from({ length: 20 }, (_, index) => evaluate(`(push ${index} *order*)`));
        await Promise.all(all);
        const expected = Array.from({ length: 20 }, (_, index) => 19 - index).join(' ');
        expect((await evaluate('*order*')).values).toEqual([`(${expected})`]);
      });

      it('the time that an evaluation took is told', async () => {
        const { timing } = await evaluate('(sleep 0.1)');
        expect(timing.realMs).toBeGreaterThanOrEqual(99);
        expect(timing.runMs).toBeLessThan(timing.realMs);
      });
    });

    describe('operations', () => {
      const named = (findings: readonly Finding[] | undefined, name: string) =>
        findings?.find((finding) => finding.name === name);

      it('a file is loaded, and the current package stays', async () => {
        const path = await file(
          'loaded.lisp',
          '(defpackage :loaded (:use :cl))\n(in-package :loaded)\n(defvar *x* 5)\n',
        );
        expect(await perform({ kind: 'load-file', path })).toMatchObject({ ok: true, package: 'COMMON-LISP-USER' });
        expect((await evaluate('loaded::*x*')).values).toEqual(['5']);
      });

      it('an error in a file is told with its place', async () => {
        const path = await file('broken.lisp', '(defvar *a* 1)\n\n (error "in the file")\n');
        const { ok, error } = await perform({ kind: 'load-file', path });
        expect({ ok, error }).toMatchObject({ ok: false, error: { phase: 'load', line: 3, column: 1 } });
        const missing = await perform({ kind: 'load-file', path: join(folder, 'missing.lisp') });
        expect(missing.error?.message).toContain('missing.lisp');
      });

      it('a system is loaded by ASDF, and one that is nowhere is named', async () => {
        await file('little.asd', '(asdf:defsystem "little" :version "1.2.3" :components ((:file "little")))');
        await file('little.lisp', '(defpackage :little (:use :cl)) (in-package :little) (defun answer () 42)');
        await evaluate(
          `(require :asdf) (push (parse-namestring "${folder}/") (symbol-value (find-symbol "*CENTRAL-REGISTRY*" :asdf)))`,
        );
        const loaded = await perform({ kind: 'load-system', system: 'little' }, { timeout: 60_000 });
        expect(loaded.error).toBeUndefined();
        expect(loaded.findings).toEqual([{ kind: 'system', name: 'little', detail: '1.2.3' }]);
        expect((await evaluate('(little::answer)')).values).toEqual(['42']);
        const missing = await perform({ kind: 'load-system', system: 'no-such-system-anywhere' });
        expect(missing.error?.message).toContain('no-such-system-anywhere');
      }, 60_000);

      it('definitions of a package are listed with their kinds', async () => {
        await evaluate(
          '(defpackage :listed (:use :cl)) (in-package :listed) (defun f (a &optional b) (list a b)) (defmacro m (x) x) (defgeneric g (x)) (defvar *v* 7) (defconstant +c+ 8) (defclass c () ()) (defstruct s a) (define-condition e (error) ()) (in-package :cl-user)',
        );
        const { findings } = await perform({ kind: 'list-definitions', package: 'listed' });
        const kinds = Object.fromEntries((findings ?? []).map(({ kind, name: found }) => [found, kind]));
        expect(kinds).toMatchObject({
          F: 'function',
          M: 'macro',
          G: 'generic-function',
          '*V*': 'variable',
          '+C+': 'constant',
          C: 'class',
          S: 'structure',
          E: 'condition',
        });
        expect(named(findings, '*V*')?.detail).toBe('7');
      });

      it('a symbol is described, and one that is nowhere is named and not made', async () => {
        await evaluate('(defun described (x) "Says what it is." x)');
        const { findings } = await perform({ kind: 'describe-symbol', symbol: 'described' });
        expect(findings).toContainEqual(expect.objectContaining({ kind: 'function', name: 'DESCRIBED' }));
        expect(findings).toContainEqual({ kind: 'documentation', name: 'function', detail: 'Says what it is.' });
        const missing = await perform({ kind: 'describe-symbol', symbol: 'nowhere-to-be-found' });
        expect(missing.error?.message).toContain('nowhere-to-be-found');
        expect((await evaluate('(find-symbol "NOWHERE-TO-BE-FOUND")')).values[0]).toBe('NIL');
      });

      it('symbols are found by a part of their name', async () => {
        await evaluate('(defun rather-unusual-name () 1)');
        const { findings } = await perform({ kind: 'apropos', text: 'ather-unusual-n' });
        expect(findings).toEqual([expect.objectContaining({ kind: 'function', name: 'RATHER-UNUSUAL-NAME' })]);
        expect((await perform({ kind: 'apropos', text: 'no-symbol-has-this-in-it' })).findings).toEqual([]);
      });

      it('macros are expanded once or fully', async () => {
        await evaluate('(defmacro outer-macro (x) `(inner-macro ,x)) (defmacro inner-macro (x) `(list ,x))');
        const form = '(outer-macro 1)';
        expect((await perform({ kind: 'macroexpand', form, depth: 'once' })).values).toEqual(['(INNER-MACRO 1)']);
        expect((await perform({ kind: 'macroexpand', form, depth: 'full' })).values).toEqual(['(LIST 1)']);
      });

      it('one form is asked for where one is needed', async () => {
        for (const form of ['', '1 2']) {
          expect(await perform({ kind: 'macroexpand', form, depth: 'once' })).toMatchObject({ ok: false });
        }
      });

      it('a form is compiled and not run', async () => {
        const outcome = await perform({ kind: 'compile', form: '(defun never-defined () (setf *never-set* 1))' });
        expect(outcome.ok).toBe(true);
        expect((await evaluate('(list (fboundp (quote never-defined)) (boundp (quote *never-set*)))')).values).toEqual([
          '(NIL NIL)',
        ]);
        expect((await perform({ kind: 'compile', form: '(list 1)' })).findings).toEqual([]);
      });

      it('what the compiler says has a place', async (context) => {
        needs(context, 'compiler-positions');
        const form = '(defun f (x)\n  (let ((unused 1))\n    (list x)))';
        const { findings } = await perform({ kind: 'compile', form });
        expect(findings).toEqual([
          { kind: 'style-warning', name: expect.stringContaining('UNUSED'), detail: 'line 2, column 8' },
        ]);
      });

      it('callers and what is called are found', async (context) => {
        needs(context, 'xref');
        await evaluate('(defun called (x) (list x)) (defun calling (x) (list (called x)))');
        const callers = await perform({ kind: 'xref', symbol: 'called', relation: 'callers' });
        expect(named(callers.findings, 'CALLING')).toMatchObject({ kind: 'function' });
        const calls = await perform({ kind: 'xref', symbol: 'calling', relation: 'calls' });
        expect(named(calls.findings, 'CALLED')).toMatchObject({ kind: 'function' });
      });

      it('what does not fit in a list is said to be there', async () => {
        const { findings } = await perform({ kind: 'inspect', form: '(make-list 600)' });
        expect(findings).toHaveLength(501);
        expect(findings?.at(-1)?.kind).toBe('more');
      });

      it('objects are looked into', async () => {
        await evaluate('(defclass point () ((x :initform 1) (y :initform "two")))');
        const { values, findings } = await perform({ kind: 'inspect', form: "(make-instance 'point)" });
        expect(values).toHaveLength(1);
        expect(findings).toEqual([
          { kind: 'slot', name: 'X', detail: '1' },
          { kind: 'slot', name: 'Y', detail: '"two"' },
        ]);
        const table = await perform({
          kind: 'inspect',
          form: "(let ((h (make-hash-table))) (setf (gethash :k h) 'v) h)",
        });
        expect(table.findings).toEqual([{ kind: 'entry', name: ':K', detail: 'V' }]);
        const list = await perform({ kind: 'inspect', form: "'(1 . 2)" });
        expect(list.findings?.map(({ kind, detail }) => [kind, detail])).toEqual([
          ['element', '1'],
          ['tail', '2'],
        ]);
      });
    });

    describe('debugger', () => {
      const breaking = (code: string) => perform({ kind: 'evaluate', code, onError: 'break' });
      const debug = (action: Extract<Operation, { kind: 'debug' }>['action']) => perform({ kind: 'debug', action });

      it('an error stays open, and a restart with arguments goes on from it', async () => {
        const open = await breaking(
          '(list 1 (restart-case (error "which?") (use-that (v) :report "Use that." (* v 2)))) ',
        );
        expect(open).toMatchObject({ ok: false, debugging: true, error: { message: 'which?' } });
        const index = open.error?.restarts.findIndex((restart) => restart.name === 'USE-THAT') ?? -1;
        const done = await debug({ do: 'restart', index, arguments: ['(+ 1 20)'] });
        expect(done).toMatchObject({ ok: true, values: ['(1 42)'] });
        expect(done.debugging).toBeUndefined();
      });

      it('abort leaves it', async () => {
        await breaking('(error "x")');
        const left = await debug({ do: 'abort' });
        expect(left).toMatchObject({ ok: true, values: [] });
        expect(left.debugging).toBeUndefined();
        expect((await evaluate('(+ 1 1)')).values).toEqual(['2']);
      });

      it('other operations work on top of it and leave it open', async () => {
        await breaking('(error "first")');
        expect(await evaluate('(+ 1 1)')).toMatchObject({ ok: true, values: ['2'], debugging: true });
        expect(await breaking('(error "second")')).toMatchObject({ ok: false, debugging: true });
        expect(await evaluate('(loop)', { timeout: 200 })).toMatchObject({ interrupted: 'timeout', debugging: true });
        expect(await debug({ do: 'restart', index: 99 })).toMatchObject({ ok: false, debugging: true });
        expect((await debug({ do: 'abort' })).debugging).toBeUndefined();
      });

      it('what goes on can break again, and be interrupted', async () => {
        const open = await breaking('(progn (cerror "Go on." "one") (cerror "Go on." "two") (loop))');
        expect(open.error?.message).toBe('one');
        const second = await debug({ do: 'restart', index: 0 });
        expect(second).toMatchObject({ ok: false, debugging: true, error: { message: 'two' } });
        const third = await perform({ kind: 'debug', action: { do: 'restart', index: 0 } }, { timeout: 300 });
        expect(third).toMatchObject({ ok: false, interrupted: 'timeout' });
        expect(third.debugging).toBeUndefined();
        expect(third.lost).toBeUndefined();
      });

      it('locals of a frame are told', async (context) => {
        needs(context, 'locals');
        await breaking(
          '(defun local-holder (a) (let ((b (* a 2))) (when (> b 5) (error "look")) (list a b))) (local-holder 5)',
        );
        const { findings } = await debug({ do: 'locals', frame: 0 });
        expect(findings).toContainEqual({ kind: 'local', name: 'A', detail: '5' });
        expect(findings).toContainEqual({ kind: 'local', name: 'B', detail: '10' });
        expect((await debug({ do: 'locals', frame: 99 })).ok).toBe(false);
        await debug({ do: 'abort' });
      });

      it('a form is evaluated in a frame', async (context) => {
        needs(context, 'evaluate-in-frame');
        await breaking('(defun frame-holder (a) (when a (error "look")) (list a)) (frame-holder 5)');
        expect((await debug({ do: 'evaluate', frame: 0, form: '(* a 2)' })).values).toEqual(['10']);
        await debug({ do: 'abort' });
      });

      afterEach(async () => {
        await debug({ do: 'abort' });
      });

      it('it says when it is not open', async () => {
        const { ok, error } = await debug({ do: 'abort' });
        expect(ok).toBe(false);
        expect(error?.message).toContain('not open');
      });
    });

    describe('life', () => {
      it('evaluators know nothing of each other', async () => {
        const [one, two] = await Promise.all([another(), another()]);
        await one.perform({ kind: 'evaluate', code: '(defvar *mine* 1)' }, PATIENT);
        const { ok } = await two.perform({ kind: 'evaluate', code: '*mine*' }, PATIENT);
        expect(ok).toBe(false);
      });

      it('it runs where and with what it is told', async () => {
        const path = await file('first.lisp', '(defvar *loaded-first* :yes)');
        await file('here.txt', 'found');
        const other = await another({ cwd: folder, environment: { HAWSER_TEST: 'told' }, load: [path] });
        const code = '(list *loaded-first* (with-open-file (s "here.txt") (read-line s)))';
        expect((await other.perform({ kind: 'evaluate', code }, PATIENT)).values).toEqual(['(:YES "found")']);
      });

      it('a folder that is none is named in the rejection', async () => {
        await expect(engine.start({ ...START, cwd: join(folder, 'no-folder') })).rejects.toThrow(/no-folder/);
      });

      it('a file that fails at the start is named in the rejection', async () => {
        const path = await file('fails.lisp', '\n(error "at the start")');
        await expect(engine.start({ ...START, load: [path] })).rejects.toThrow(/fails\.lisp:2:0.*at the start/s);
      });

      it('a closed evaluator says so, at once and for ever', async () => {
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
