import { describe, expect, it } from 'vitest';
import { type EngineNotes, useEvaluator } from '../testing/evaluator-under-test.ts';
import type { Engine } from './evaluator.ts';

/** How every evaluator reports warnings and errors of evaluated code. `prepare` is called once, before the tests. */
export function describeErrors(name: string, prepare: () => Promise<Engine>, notes: EngineNotes = {}): void {
  describe(`${name} keeps the contract of warnings and errors`, () => {
    const { needs, evaluate, file } = useEvaluator(name, prepare, notes);

    describe('warnings', () => {
      it('a warning is collected and does not stop the evaluation', async () => {
        const outcome = await evaluate('(progn (warn "careful ~a" 1) 2)');
        expect(outcome).toMatchObject({ ok: true, values: ['2'], warnings: ['SIMPLE-WARNING: careful 1'] });
      });

      it('more warnings than are kept are counted', async () => {
        const outcome = await evaluate('(dotimes (i 300) (warn "number ~d" i))');
        expect(outcome.warnings).toHaveLength(200);
        expect(outcome.warningCount).toBe(300);
      });

      it('the compiler still says whether it warned, and whether it failed', async (context) => {
        needs(context, 'compiler-positions');
        const path = await file('warned.lisp', '(defun warned-of (x) (+ x "a"))');
        const compile = (body: string) =>
          evaluate(`(rest (multiple-value-list (compile nil '(lambda (x y) ${body}))))`);
        expect(await compile('(+ x y "a")')).toMatchObject({ values: ['(T T)'], warnings: [expect.any(String)] });
        expect((await compile('x')).values).toEqual(['(T NIL)']);
        expect((await compile('(list x y)')).values).toEqual(['(NIL NIL)']);
        const compiled = await evaluate(`(rest (multiple-value-list (compile-file ${JSON.stringify(path)})))`);
        expect(compiled.values).toEqual(['(T T)']);
      });

      it('an error that the compiler finds is listed with the warnings, and its report is not printed', async (context) => {
        needs(context, 'compiler-positions');
        const outcome = await evaluate('(defun leaves-nowhere () (return-from nowhere 1))');
        expect(outcome).toMatchObject({ ok: true, stdout: '', stderr: '' });
        expect(outcome.warnings).toEqual(['ERROR: return for unknown block: NOWHERE']);
        expect((await evaluate('(leaves-nowhere)')).error?.message).toContain('unknown block: NOWHERE');
        const failed = await evaluate("(rest (multiple-value-list (compile nil '(lambda () (go nowhere)))))");
        expect(failed.values).toEqual(['(T T)']);
      });

      it('a signal without a handler has no effect', async () => {
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

      it('a user-defined condition keeps its type and report', async () => {
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

      it('restarts are not listed when none can be chosen', async () => {
        const { error } = await evaluate('(restart-case (error "x") (carry-on () :report "Carry on."))');
        expect(error?.restarts).toEqual([]);
      });

      it.for([
        ['(no-such-package-anywhere:name)', /load-system/],
        ['(ql:quickload :alexandria)', /Quicklisp is not installed here/],
        ['(no-such-function-anywhere 1)', /apropos-search/],
        ['true', /writes T for true/],
        ['(in-package :no-such-package-anywhere)', /defpackage/],
        ['(use-package :alexandria)', /load-system with system "alexandria"/],
        ['(alexandria:iota 3)', /load-system with system "alexandria"/],
        ['(require :no-such-module-anywhere)', /load-system/],
        ['(read-line)', /stdin/],
        ['`(1 ,b)', /No package has a variable/],
        ['(labels ((f (x) (1+ (f x)))) (f 1))', /recursion without an end/],
        ['(cl::no-such-symbol-anywhere 1)', /has no symbol of that name.*apropos-search/],
        ['(defun list (x) x)', /is locked.*shadow the symbol/],
        ['(in-package "cl-user")', /Write :cl-user or "CL-USER"/],
        ['(ppcre:scan "a" "b")', /load-system with system "cl-ppcre"/],
        ['(open "no-such-file-anywhere")', /Relative paths start at /],
        ['(open "/no-such-folder-anywhere/x")', undefined],
      ] as const)('%s is answered with advice', async ([code, advice]) => {
        const { error } = await evaluate(code);
        expect(error).toBeDefined();
        if (advice === undefined) expect(error?.advice).toBeUndefined();
        else expect(error?.advice).toMatch(advice);
      });

      it.for([
        ['(defstruct redefined a) (defstruct redefined a b)', /\(setf \(find-class 'redefined\) nil\)/],
        ['(defconstant +redefined+ (list 1)) (defconstant +redefined+ (list 1))', /Use defparameter/],
      ] as const)('%s is answered with how to redefine', async ([code, advice], context) => {
        needs(context, 'strict-redefinition');
        expect((await evaluate(code)).error?.advice).toMatch(advice);
      });

      it.for([
        ['(defun takes-two (a b) (list a b)) (takes-two 1)', 'TAKES-TWO takes (A B).'],
        ['(defun takes-key (&key b) b) (takes-key :c 2)', 'TAKES-KEY takes (&KEY B).'],
        ['(nth 1)', 'NTH takes (N LIST).'],
      ] as const)('the advice about wrong arguments in %s is the lambda list', async ([code, advice], context) => {
        needs(context, 'frames');
        expect((await evaluate(code)).error?.advice).toContain(advice);
      });

      it('the advice names the package of a function that was called without it', async () => {
        await evaluate('(defpackage :elsewhere (:use :cl)) (defun elsewhere::hidden-talent () 1)');
        expect((await evaluate('(hidden-talent)')).error?.advice).toContain('elsewhere::hidden-talent');
      });

      it('frames are those of the evaluated code, innermost first, without its print methods', async (context) => {
        needs(context, 'frames');
        const { error } = await evaluate(
          '(defclass shy () ()) (defmethod print-object ((x shy) s) (error "no")) (defun inner (x) (when x (error "deep")) (list x)) (defun outer (x) (list (inner x))) (outer (make-instance \'shy))',
        );
        expect(error?.frames.slice(0, 2)).toEqual(['(INNER #<SHY>)', '(OUTER #<SHY>)']);
      });

      it('a frame whose arguments are not there yet is listed without them', async (context) => {
        needs(context, 'frames');
        const { error } = await evaluate('(defun keyed (&key a) (list a)) (keyed :b 1)');
        expect(error?.frames[0]).toMatch(/^\(KEYED(?: \.\.\.| :B 1)\)$/);
      });

      it('at most eight frames are listed', async (context) => {
        needs(context, 'frames');
        const { error } = await evaluate(
          '(defun down (n) (list (if (= n 0) (error "bottom") (down (1- n))))) (down 100)',
        );
        expect([error?.frames.length, error?.frameCount]).toEqual([8, 101]);
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

      it('the error about an unclosed form says where the form begins', async () => {
        const { error } = await evaluate('(list 1)\n  (list 2');
        expect(error).toMatchObject({ type: 'END-OF-FILE', phase: 'read', form: 2, line: 2, column: 2 });
      });

      it('a reader error has a place', async () => {
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
  });
}
