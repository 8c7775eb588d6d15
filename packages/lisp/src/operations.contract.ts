import { describe, expect, it } from 'vitest';
import { type EngineNotes, useEvaluator } from '../testing/evaluator-under-test.ts';
import type { Engine, Finding } from './evaluator.ts';

/** How every evaluator looks things up and changes them. `prepare` is called once, before the tests. */
export function describeOperations(name: string, prepare: () => Promise<Engine>, notes: EngineNotes = {}): void {
  describe(`${name} keeps the contract of the operations`, { timeout: 30_000 }, () => {
    const { needs, perform, evaluate, file } = useEvaluator(name, prepare, notes);

    const named = (findings: readonly Finding[] | undefined, name: string) =>
      findings?.find((finding) => finding.name === name);

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
        { kind: 'style-warning', name: expect.stringContaining('UNUSED'), place: { line: 2, column: 8 } },
      ]);
    });

    it('callers and what is called are found, with places', async (context) => {
      needs(context, 'references');
      const { call } = await evaluate('(defun called (x) (list x))\n(defun calling (x) (list (called x)))');
      const callers = await perform({ kind: 'find-references', symbol: 'called', relation: 'callers' });
      expect(named(callers.findings, 'CALLING')).toMatchObject({
        kind: 'function',
        place: { call, form: 2, line: 2, column: 0 },
      });
      const calls = await perform({ kind: 'find-references', symbol: 'calling', relation: 'calls' });
      expect(named(calls.findings, 'CALLED')).toMatchObject({ kind: 'function' });
    });

    it('references are found after a compiled file failed to load', async (context) => {
      needs(context, 'references');
      const path = await file('half.lisp', '(defun half-loaded (x) (car x))\n(half-loaded 5)\n');
      const failed = await evaluate(`(load (compile-file ${JSON.stringify(path)}))`);
      expect(failed.ok).toBe(false);
      const { ok, findings } = await perform({ kind: 'find-references', symbol: 'car', relation: 'callers' });
      expect(ok).toBe(true);
      expect(findings?.length).toBeGreaterThan(0);
      expect((await perform({ kind: 'find-definition', symbol: 'half-loaded' })).findings).toEqual([
        expect.objectContaining({ place: { file: path, form: 1, line: 1, column: 0 } }),
      ]);
    });

    it('evaluated definitions have places: the call, the form and the line', async () => {
      const { call } = await evaluate(`(defvar *placed* 1)

          (defclass placed () ())
          (defgeneric placed-p (x))
          (defmethod placed-p ((x placed)) t)
          (progn (defun placed-function () 1))`);
      const at = async (symbol: string) =>
        (await perform({ kind: 'find-definition', symbol })).findings?.map(({ kind, place }) => [kind, place]);
      expect(await at('*placed*')).toEqual([['variable', { call, form: 1, line: 1, column: 0 }]]);
      expect(await at('placed')).toEqual([['class', { call, form: 2, line: 3, column: 10 }]]);
      expect(await at('placed-p')).toEqual([
        ['generic-function', { call, form: 3, line: 4, column: 10 }],
        ['method', { call, form: 4, line: 5, column: 10 }],
      ]);
      expect(await at('placed-function')).toEqual([['function', { call, form: 5, line: 6, column: 10 }]]);
    });

    it('types, symbol macros and setf functions have places, too', async () => {
      const path = await file(
        'kinds.lisp',
        '(in-package :cl-user)\n(deftype small () (quote (integer 0 5)))\n(define-symbol-macro shorthand 5)\n(defun (setf nth-word) (value x) (list value x))\n(defgeneric (setf width) (value x))\n(defmethod (setf width) (value (x integer)) value)\n',
      );
      await perform({ kind: 'load-file', path });
      const at = async (symbol: string) =>
        (await perform({ kind: 'find-definition', symbol })).findings?.map(({ kind, name: found, place }) => [
          kind,
          found,
          place?.line,
        ]);
      expect(await at('small')).toEqual([['type', 'SMALL', 2]]);
      expect(await at('shorthand')).toEqual([['symbol-macro', 'SHORTHAND', 3]]);
      expect(await at('nth-word')).toEqual([['function', '(SETF NTH-WORD)', 4]]);
      expect(await at('width')).toEqual([
        ['generic-function', '(SETF WIDTH)', 5],
        ['method', '((SETF WIDTH) (T INTEGER))', 6],
      ]);
    });

    it('finding a place in a file that the reader warns of gives no warning', async () => {
      const path = await file('configured.lisp', '#+immobile-space 1\n(defun configured () 1)\n');
      await evaluate(`(load ${JSON.stringify(path)})`);
      const { warnings } = await perform({ kind: 'find-definition', symbol: 'configured' });
      expect(warnings).toEqual([]);
    });

    it('definitions of a loaded file have its path and their lines', async () => {
      const path = await file(
        'placed.lisp',
        '(defpackage :in-file (:use :cl))\n(in-package :in-file)\n#-(or sbcl ecl) (nonsense)\n\n(defun f ()\n  1)\n(defmacro m () 1)\n',
      );
      await perform({ kind: 'load-file', path });
      const { findings } = await perform({ kind: 'list-definitions', package: 'in-file' });
      expect(findings?.map(({ kind, name: found, place }) => [kind, found, place?.file, place?.line])).toEqual([
        ['function', 'F', path, 3],
        ['macro', 'M', path, 7],
      ]);
    });

    it('methods are listed, also those on classes of the package', async () => {
      await evaluate(
        '(defpackage :shapes (:use :cl)) (in-package :shapes) (defclass square () ()) (defgeneric area (x)) (defmethod area ((x square)) 1) (defmethod print-object :around ((x square) stream) (call-next-method)) (in-package :cl-user)',
      );
      const { findings } = await perform({ kind: 'list-definitions', package: 'shapes' });
      const methods = findings?.filter(({ kind }) => kind === 'method').map(({ name: found }) => found);
      expect(methods).toEqual(['(AREA (SQUARE))', '(PRINT-OBJECT :AROUND (SQUARE T))']);
      const described = await perform({ kind: 'describe-symbol', symbol: 'shapes::area' });
      expect(described.findings?.map(({ kind }) => kind)).toContain('method');
    });

    it('looking up runs no print method of the code', async () => {
      await evaluate(
        "(defpackage :quiet (:use :cl)) (in-package :quiet) (defvar cl-user::*printed* 0) (defclass loud () ()) (defmethod print-object ((x loud) s) (incf cl-user::*printed*)) (defvar *loud* (make-instance 'loud)) (in-package :cl-user)",
      );
      await perform({ kind: 'list-definitions', package: 'quiet' });
      await perform({ kind: 'describe-symbol', symbol: 'quiet::*loud*' });
      await perform({ kind: 'apropos', text: 'loud' });
      expect((await evaluate('*printed*')).values).toEqual(['0']);
    });

    it('a long list comes in parts, and each says how many there are', async () => {
      const first = await perform({ kind: 'inspect', form: '(loop for i below 600 collect i)' });
      expect([first.findings?.length, first.total]).toEqual([200, 600]);
      const last = await perform({ kind: 'inspect', form: '(loop for i below 600 collect i)', offset: 598, limit: 5 });
      expect([last.findings?.map(({ detail }) => detail), last.total]).toEqual([['598', '599'], 600]);
      const matches = await perform({ kind: 'apropos', text: 'a', limit: 3 });
      expect(matches.findings).toHaveLength(3);
      expect(matches.total).toBeGreaterThan(1000);
    });

    it('symbols are completed', async () => {
      const { findings } = await perform({ kind: 'complete-symbol', prefix: 'multiple-value-s' });
      expect(findings?.map(({ name: found }) => found)).toEqual(['MULTIPLE-VALUE-SETQ']);
      await evaluate('(defpackage :completed (:use :cl) (:export #:visible-one)) (defun completed::visible-two () 1)');
      const names = async (prefix: string) =>
        (await perform({ kind: 'complete-symbol', prefix })).findings?.map(({ name: found }) => found);
      expect(await names('completed:vis')).toEqual(['COMPLETED:VISIBLE-ONE']);
      expect(await names('completed::vis')).toEqual(['COMPLETED:VISIBLE-ONE', 'COMPLETED::VISIBLE-TWO']);
    });

    it('calls of traced functions are in the outcome, until the trace ends', async () => {
      await evaluate('(defun traced-fact (n) (if (= n 0) 1 (* n (traced-fact (1- n)))))');
      await perform({ kind: 'trace', functions: ['traced-fact'] });
      const { calls } = await evaluate('(traced-fact 1)');
      expect(calls?.filter(({ depth }) => depth === 0)).toEqual([
        { depth: 0, kind: 'call', text: '(TRACED-FACT 1)' },
        { depth: 0, kind: 'return', text: '1' },
      ]);
      await evaluate('(defun traced-failure () (error "x"))');
      await perform({ kind: 'trace', functions: ['traced-failure'] });
      expect((await evaluate('(traced-failure)')).calls?.map(({ kind }) => kind)).toEqual(['call', 'exit']);
      expect((await perform({ kind: 'untrace' })).findings).toEqual([]);
      expect((await evaluate('(traced-fact 1)')).calls).toBeUndefined();
      const unknown = await perform({ kind: 'trace', functions: ['when'] });
      expect(unknown.error?.message).toContain('names no function');
    });

    it('functions that the tracer itself needs can be traced', async () => {
      await perform({ kind: 'trace', functions: ['write-string', 'concatenate', 'mapcar'] });
      const { ok, calls } = await evaluate('(mapcar (lambda (x) (concatenate \'string x "b")) (list "a"))');
      await perform({ kind: 'untrace' });
      expect(ok).toBe(true);
      expect(calls?.length ?? 0).toBeLessThan(50);
    });

    it('more calls than are kept are counted', async () => {
      await evaluate('(declaim (notinline traced-often)) (defun traced-often (n) n)');
      await perform({ kind: 'trace', functions: ['traced-often'] });
      const { calls, callCount } = await evaluate('(dotimes (i 150) (traced-often i))');
      expect([calls?.length, callCount]).toEqual([200, 300]);
      await perform({ kind: 'untrace' });
    });

    it('a symbol is undefined', async () => {
      await evaluate('(defun doomed () 1) (defvar doomed 2) (defclass doomed () ())');
      const removed = await perform({ kind: 'undefine', symbol: 'doomed', what: 'variable' });
      expect(removed.findings?.map(({ detail }) => detail)).toEqual(['variable']);
      expect((await perform({ kind: 'undefine', symbol: 'doomed' })).findings).toHaveLength(2);
      expect((await evaluate("(list (fboundp 'doomed) (boundp 'doomed) (find-class 'doomed nil))")).values).toEqual([
        '(NIL NIL NIL)',
      ]);
    });

    it('subforms are expanded too when all is asked for', async (context) => {
      needs(context, 'expand-all');
      const { values } = await perform({ kind: 'macroexpand', form: '(when a (when b c))', depth: 'all' });
      expect(values[0]?.replace(/\s+/g, ' ')).toBe('(IF A (IF B C))');
    });

    it('a function is disassembled', async () => {
      await evaluate('(defun disassembled (x) x)');
      expect((await perform({ kind: 'disassemble', form: 'disassembled' })).stdout).not.toBe('');
    });

    it('a profile says where the time went', async (context) => {
      needs(context, 'profiler');
      const code = '(defun slow-part () (let ((x 0)) (dotimes (i 300000000 x) (setf x (logxor x i))))) (slow-part)';
      const { findings } = await perform({ kind: 'profile', code });
      expect(named(findings, 'SLOW-PART')?.detail).toMatch(/^self [\d.]+ %, total [\d.]+ %$/);
    });

    it('the inspector goes into a part and back', async () => {
      const outer = await perform({ kind: 'inspect', form: '(list 1 (vector :a :b))' });
      expect(outer.findings?.map(({ detail }) => detail)).toEqual(['1', '#(:A :B)']);
      const inner = await perform({ kind: 'inspect', part: 1 });
      expect(inner.findings?.map(({ detail }) => detail)).toEqual([':A', ':B']);
      expect((await perform({ kind: 'inspect' })).values).toEqual(outer.values);
      expect((await perform({ kind: 'inspect' })).error?.message).toContain('began');
      expect((await perform({ kind: 'inspect', part: 9 })).error?.message).toContain('has 2 parts');
    });

    it('a circular list is inspected', async () => {
      const { findings, total } = await perform({
        kind: 'inspect',
        form: '(let ((l (list 1 2))) (setf (cddr l) l) l)',
        limit: 4,
      });
      expect([findings?.map(({ detail }) => detail), total]).toEqual([['1', '2', '1', '2'], undefined]);
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
}
