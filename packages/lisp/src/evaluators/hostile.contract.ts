import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Engine, Evaluator, Loss, Outcome } from '../evaluator.ts';

/** Code that tries to break the Lisp it runs in. */
export interface Hostility {
  readonly what: string;
  readonly code: string;
  /** The expected outcome in the same Lisp, or the kind of loss. `any`: either, but a fresh Lisp works. */
  readonly ends: Partial<Outcome> | Loss['kind'] | 'any';
  readonly stdin?: string;
  /** Milliseconds. Default: 3000. */
  readonly timeout?: number;
}

const limits = { output: 10_000, value: 2000 };

const WORKER_PACKAGE =
  '(defpackage :hawser-worker (:use :cl)) (in-package :hawser-worker) (defun main () 1) (defun perform (x) x) (defun send (x) x) (defun send-outcome (a b) (list a b)) (in-package :cl-user)';

/** For any Common Lisp. */
export const portableHostilities: readonly Hostility[] = [
  { what: 'a bare serious condition', code: "(error 'serious-condition)", ends: { ok: false } },
  { what: 'the debugger itself', code: "(invoke-debugger (make-condition 'error))", ends: { ok: false } },
  { what: 'the restart ABORT', code: '(abort)', ends: { ok: false } },
  { what: 'a throw to nowhere', code: "(throw 'nowhere 1)", ends: { ok: false } },
  { what: 'an endless loop', code: '(loop)', timeout: 300, ends: { ok: false, interrupted: 'timeout' } },
  {
    what: 'an endless loop that handles every condition',
    code: '(loop (handler-case (loop) (condition () nil)))',
    timeout: 300,
    ends: { ok: false, interrupted: 'timeout' },
  },
  {
    what: 'an endless cleanup form',
    code: '(unwind-protect (loop) (loop))',
    timeout: 300,
    ends: { ok: false, interrupted: 'timeout' },
  },
  {
    what: 'a cleanup form that catches what unwinds',
    code: '(loop (block nil (unwind-protect (loop) (return))))',
    timeout: 300,
    ends: 'timeout',
  },
  { what: 'endless reading', code: '#.(loop)', timeout: 300, ends: { ok: false, interrupted: 'timeout' } },
  { what: 'an output flood', code: '(loop (print 1))', timeout: 500, ends: { ok: false, interrupted: 'timeout' } },
  {
    what: 'one huge piece of output',
    code: '(write-string (make-string 5000000 :initial-element #\\x)) nil',
    ends: { ok: true, stdout: expect.stringMatching(/^x{10000}…\n\(10000 of 5000000 characters;/) },
  },
  { what: 'a huge value', code: '(make-list 1000000)', ends: { ok: true } },
  { what: 'a huge string', code: '(make-string 3000000 :initial-element #\\y)', ends: { ok: true } },
  {
    what: 'a value that contains itself in many ways',
    code: '(let ((v (make-array 3))) (fill v v) (list v v))',
    ends: { ok: true },
  },
  {
    what: 'a value nested a hundred thousand deep',
    code: '(let ((l nil)) (dotimes (i 100000 l) (setf l (list l))))',
    ends: { ok: true },
  },
  {
    what: 'a print method that loops',
    code: "(defclass looping () ()) (defmethod print-object ((x looping) s) (loop)) (make-instance 'looping)",
    timeout: 500,
    ends: { ok: false, interrupted: 'timeout' },
  },
  {
    what: 'a print method that throws',
    code: "(defclass throwing () ()) (defmethod print-object ((x throwing) s) (throw 'nowhere 1)) (make-instance 'throwing)",
    ends: { ok: true, values: ['#<THROWING>'] },
  },
  {
    what: 'a print method that aborts',
    code: "(defclass aborting () ()) (defmethod print-object ((x aborting) s) (abort)) (make-instance 'aborting)",
    ends: { ok: false },
  },
  {
    what: 'a report that loops',
    code: "(define-condition endless (error) () (:report (lambda (c s) (declare (ignore c s)) (loop)))) (error 'endless)",
    timeout: 500,
    ends: { ok: false, interrupted: 'timeout' },
  },
  { what: 'reading where nothing is', code: '(read-line)', ends: { ok: false } },
  { what: 'reading more than there is', code: '(list (read) (read))', stdin: '1', ends: { ok: false } },
  { what: 'an interactive question', code: '(y-or-n-p "Really?")', ends: { ok: false } },
  {
    what: 'closing the standard streams',
    code: '(progn (close *standard-output*) (close *error-output*) (close *standard-input*) (close *terminal-io*) 1)',
    ends: { ok: true },
  },
  {
    what: 'other values for the standard streams',
    code: '(setf *standard-output* (make-broadcast-stream) *error-output* nil *debug-io* 5 *query-io* nil)',
    ends: 'any',
  },
  {
    what: 'deleting the current package',
    code: '(defpackage :doomed (:use :cl)) (in-package :doomed) (delete-package :doomed)',
    ends: { ok: true, package: 'COMMON-LISP-USER' },
  },
  { what: 'a package of the worker’s name', code: WORKER_PACKAGE, ends: { ok: true } },
  {
    what: 'a readtable that cannot read lists',
    code: '(set-macro-character #\\( (lambda (s c) (declare (ignore s c)) 1))',
    ends: { ok: true },
  },
  {
    what: 'a readtable where everything is white space',
    code: '(dotimes (i 128) (set-syntax-from-char (code-char i) #\\Space))',
    ends: 'any',
  },
  { what: 'reading that is suppressed', code: '(setf *read-suppress* t)', ends: { ok: true } },
  { what: 'another base for reading', code: '(setf *read-base* 2)', ends: { ok: true } },
  {
    what: 'printer settings of all kinds',
    code: '(setf *print-base* 36 *print-radix* t *print-case* :capitalize *print-length* 1 *print-level* 1 *print-readably* t *print-escape* nil *print-circle* t *print-pretty* t *print-right-margin* 1 *print-array* nil *print-gensym* nil)',
    ends: { ok: true },
  },
  {
    what: 'a printer that prints nothing right',
    code: '(setf *print-pprint-dispatch* (let ((d (copy-pprint-dispatch))) (set-pprint-dispatch t (lambda (s o) (declare (ignore s o)) (error "no")) 0 d) d))',
    ends: 'any',
  },
  {
    what: 'NUL and control characters',
    code: "(map nil #'write-char (loop for i below 32 collect (code-char i)))",
    ends: { ok: true, stdout: Array.from({ length: 32 }, (_, i) => String.fromCharCode(i)).join('') },
  },
  { what: 'NUL in the code', code: '(char-code (char "\u0000" 0))', ends: { ok: true, values: ['0'] } },
  {
    what: 'text that looks like the protocol',
    code: '(format t "~%{\\"outcome\\":1,\\"ok\\":true}~%")',
    ends: { ok: true },
  },
  {
    what: 'a custom debugger hook',
    code: '(setf *debugger-hook* (lambda (c h) (declare (ignore c h)) (loop))) (error "x")',
    ends: { ok: false },
  },
  { what: 'forms without end', code: '('.repeat(50_000), ends: { ok: false } },
];

/** After each hostility there was exactly one outcome, and the next evaluation works: in the same Lisp where that is promised. */
export function describeHostilities(name: string, prepare: () => Promise<Engine>, cases: readonly Hostility[]): void {
  describe(`${name} survives`, () => {
    let engine: Engine;
    let evaluator: Evaluator;
    let isLost = true;

    beforeAll(async () => {
      engine = await prepare();
    });

    beforeEach(async () => {
      if (!isLost) return;
      evaluator = await engine.start({ heapMegabytes: 512 });
      isLost = false;
      void evaluator.lost.then(() => {
        isLost = true;
      });
    });

    afterAll(() => evaluator?.close());

    it.for(cases.map((hostility): [string, Hostility] => [hostility.what, hostility]))(
      '%s',
      async ([, { code, ends, stdin, timeout = 3000 }]) => {
        await evaluator.perform({ kind: 'evaluate', code: '(defparameter *mark* :kept)' }, { timeout: 10_000, limits });
        const outcome = await evaluator.perform(
          { kind: 'evaluate', code, ...(stdin === undefined ? {} : { stdin }) },
          { timeout, limits },
        );
        if (typeof ends === 'object') {
          expect(outcome.lost).toBeUndefined();
          expect(outcome).toMatchObject(ends);
        } else if (ends !== 'any') {
          expect(outcome.lost?.kind).toBe(ends);
        }
        if (outcome.lost !== undefined) {
          await evaluator.lost;
          evaluator = await engine.start({ heapMegabytes: 512 });
        }
        const next = await evaluator.perform(
          { kind: 'evaluate', code: '(values (+ 1 10) *mark*)' },
          { timeout: 10_000, limits },
        );
        if (typeof ends === 'object') await mend(evaluator);
        else await evaluator.close();
        expect(next.lost).toBeUndefined();
        if (typeof ends === 'object') {
          expect(next.error).toBeUndefined();
          // The printer's settings decide how it is written.
          expect(next.values[1]?.toUpperCase()).toMatch(/^:\|?KEPT\|?$/);
        }
      },
    );
  });
}

/** Restores settings that a hostility may change. */
async function mend(evaluator: Evaluator): Promise<void> {
  const code =
    '(setf *read-base* 10. *print-base* 10. *print-radix* nil *print-case* :upcase *print-length* nil *print-level* nil *print-readably* nil *print-escape* t *print-circle* nil *print-right-margin* nil *print-array* t *print-gensym* t *debugger-hook* nil)';
  await evaluator.perform({ kind: 'evaluate', code }, { timeout: 10_000, limits });
}
