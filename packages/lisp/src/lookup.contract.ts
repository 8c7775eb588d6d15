import { describe, expect, it } from 'vitest';
import { type EngineNotes, useEvaluator } from '../testing/evaluator-under-test.ts';
import type { Engine, Finding } from './evaluator.ts';

/** How every evaluator looks things up. `prepare` is called once, before the tests. */
export function describeLookup(name: string, prepare: () => Promise<Engine>, notes: EngineNotes = {}): void {
  describe(`${name} keeps the contract of looking things up`, () => {
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
      await evaluate(
        '(defun (setf listed::place) (value x) (list value x)) (defclass listed::k () ((w :accessor listed::w)))',
      );
      const again = await perform({ kind: 'list-definitions', package: 'listed' });
      expect(
        again.findings
          ?.map(({ name: found }) => found)
          .filter((found) => found.includes('SETF') && !found.includes('S-A')),
      ).toEqual(['(SETF PLACE)', '(SETF W)', '((SETF W) (T K))']);
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

    it.for([
      ["'written-in-code", 'WRITTEN-IN-CODE'],
      ["#'written-in-code", 'WRITTEN-IN-CODE'],
      [' written-in-code\n', 'WRITTEN-IN-CODE'],
      ['(setf written-in-code)', '(SETF WRITTEN-IN-CODE)'],
      ['|odd name|', 'odd name'],
      ['cl-user::|odd name|', 'odd name'],
    ])('the symbol %j is found', async ([symbol = '', found = '']) => {
      await evaluate('(defun written-in-code () 1) (defun (setf written-in-code) (x) x) (defun |odd name| () 1)');
      const { findings } = await perform({ kind: 'find-definition', symbol });
      expect(named(findings, found)).toMatchObject({ kind: 'function' });
    });

    it('a form in place of a symbol is refused', async () => {
      const { error } = await perform({ kind: 'describe-symbol', symbol: '(written-in-code 1)' });
      expect(error?.message).toMatch(/^Give the name of a symbol/);
    });

    it.for([':listed-so', '#:listed-so', '"LISTED-SO"', ' listed-so '])('the package %j is found', async (written) => {
      await evaluate('(defpackage :listed-so (:use :cl)) (defun listed-so::here () 1)');
      const { findings } = await perform({ kind: 'list-definitions', package: written });
      expect(named(findings, 'HERE')).toMatchObject({ kind: 'function' });
    });

    it('parameters are listed without their package', async () => {
      await evaluate(
        '(defpackage :far-off (:use :cl)) (in-package :far-off) (defun g (thing &key (other thing)) (list thing other)) (defun h (&rest all) all) (in-package :cl-user)',
      );
      const detail = async (symbol: string) =>
        (await perform({ kind: 'describe-symbol', symbol })).findings?.map(({ detail: found }) => found)[0];
      expect(await detail('far-off::g')).toBe('(THING &KEY (OTHER THING))');
      expect(await detail('far-off::h')).toBe('(&REST ALL)');
    });

    it('symbols are found by a part of their name', async () => {
      await evaluate('(defun rather-unusual-name () 1)');
      const { findings } = await perform({ kind: 'apropos', text: 'ather-unusual-n' });
      expect(findings).toEqual([expect.objectContaining({ kind: 'function', name: 'RATHER-UNUSUAL-NAME' })]);
      expect((await perform({ kind: 'apropos', text: 'no-symbol-has-this-in-it' })).findings).toEqual([]);
    });

    it('what can be used here is found first, and the internals of the Lisp last', async () => {
      await evaluate('(defun zz-make-thing () 1) (defpackage :zz-far (:use :cl)) (defun zz-far::zz-make-more () 1)');
      const { findings, total } = await perform({ kind: 'apropos', text: 'make' });
      const names = findings?.map(({ name: found }) => found) ?? [];
      expect(names).toEqual(expect.arrayContaining(['MAKE-ARRAY', 'ZZ-MAKE-THING', 'ZZ-FAR::ZZ-MAKE-MORE']));
      expect(names.findIndex((found) => found.includes(':'))).toBe(
        names.filter((found) => !found.includes(':')).length,
      );
      expect(findings?.length).toBe(Math.min(100, total ?? 0));
      expect(Math.max(...(findings ?? []).map(({ detail = '' }) => detail.length))).toBeLessThanOrEqual(121);
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

    it('methods are references, too, and what a generic function calls is what its methods call', async (context) => {
      await evaluate(`(defun of-method (x) (list x)) (defclass referring () ())
        (defgeneric refer (x)) (defmethod refer ((x referring)) (of-method x)) (defmethod refer :after ((x referring)) (of-method 1))
        (defun refers () (list (refer 1)))
        (setf (fdefinition 'closed-over) (let ((n 0)) (lambda (x) (incf n) (of-method (+ x n)))))`);
      const found = async (symbol: string, relation: 'callers' | 'calls' | 'specializers') => {
        const { findings, error } = await perform({ kind: 'find-references', symbol, relation });
        expect(error).toBeUndefined();
        return findings?.map((finding) => `${finding.kind} ${finding.name}`);
      };
      expect(await found('referring', 'specializers')).toEqual([
        'method (REFER (REFERRING))',
        'method (REFER :AFTER (REFERRING))',
      ]);
      const nothing = await perform({ kind: 'find-references', symbol: 'of-method', relation: 'specializers' });
      expect(nothing.error?.message).toContain('names no class');
      needs(context, 'references');
      expect(await found('of-method', 'callers')).toEqual(
        expect.arrayContaining(['method (REFER (REFERRING))', 'method (REFER :AFTER (REFERRING))']),
      );
      expect(await found('refer', 'calls')).toContain('function OF-METHOD');
      expect(await found('closed-over', 'calls')).toContain('function OF-METHOD');
      expect(await found('refer', 'callers')).toEqual(['function REFERS']);
    });

    it('references are sorted by name, so that parts of the list fit together', async (context) => {
      needs(context, 'references');
      await evaluate(
        '(defun sorted-callee (x) (list x)) (dolist (name (list "SC-5" "SC-2" "SC-9" "SC-1")) (eval `(defun ,(intern name) () (list (sorted-callee 1)))))',
      );
      const { findings } = await perform({ kind: 'find-references', symbol: 'sorted-callee', relation: 'callers' });
      expect(findings?.map(({ name: found }) => found)).toEqual(['SC-1', 'SC-2', 'SC-5', 'SC-9']);
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

    it('methods with eql specializers have their own places', async () => {
      await evaluate('(defgeneric one-of (x))');
      const first = await evaluate('(defmethod one-of ((x (eql :a))) 1)');
      const second = await evaluate("(defmethod one-of ((x (eql 'b))) 2) (defmethod one-of ((x (eql 3))) 3)");
      const third = await evaluate('(defvar *four* (list 4)) (defmethod one-of ((x (eql *four*))) 4)');
      const { findings } = await perform({ kind: 'find-definition', symbol: 'one-of' });
      const places = Object.fromEntries(findings?.map(({ name: found, place }) => [found, place?.call]) ?? []);
      expect(places).toMatchObject({
        '(ONE-OF ((EQL :A)))': first.call,
        '(ONE-OF ((EQL B)))': second.call,
        '(ONE-OF ((EQL 3)))': second.call,
      });
      // What the form of the specializer evaluates to is not known afterwards.
      expect([third.call, undefined]).toContain(places['(ONE-OF ((EQL (4))))']);
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
        ['function', 'F', path, 5],
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
      await evaluate(
        "(defmethod documentation ((x (eql 'quiet::*loud*)) (kind (eql 'variable))) (incf *printed*) (string :never))",
      );
      await perform({ kind: 'describe-symbol', symbol: 'quiet::*loud*' });
      expect((await evaluate('*printed*')).values).toEqual(['0']);
    });

    it('symbols are completed', async () => {
      const { findings } = await perform({ kind: 'complete-symbol', prefix: 'multiple-value-s' });
      expect(findings?.map(({ name: found }) => found)).toEqual(['MULTIPLE-VALUE-SETQ']);
      await evaluate('(defpackage :completed (:use :cl) (:export #:visible-one)) (defun completed::visible-two () 1)');
      const names = async (prefix: string) =>
        (await perform({ kind: 'complete-symbol', prefix })).findings?.map(({ name: found }) => found);
      expect(await names('completed:vis')).toEqual(['COMPLETED:VISIBLE-ONE']);
      expect(await names('completed::vis')).toEqual(['COMPLETED::VISIBLE-ONE', 'COMPLETED::VISIBLE-TWO']);
      // Written as it was begun, not with the package that the symbol is at home in.
      expect(await names('asdf:load-system')).toContain('ASDF:LOAD-SYSTEM');
      expect(await names(':extern')).toContain(':EXTERNAL');
    });
  });
}
