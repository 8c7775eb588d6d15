import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EngineNotes, PATIENT, useEvaluator } from '../testing/evaluator-under-test.ts';
import type { Engine } from './evaluator.ts';

/** How every evaluator loads files and systems, and runs tests. `prepare` is called once, before the tests. */
export function describeSystems(name: string, prepare: () => Promise<Engine>, notes: EngineNotes = {}): void {
  describe(`${name} keeps the contract of files and systems`, { timeout: 120_000 }, () => {
    const { folder, needs, perform, evaluate, another, file } = useEvaluator(name, prepare, notes);
    const load = (system: string) => perform({ kind: 'load-system', system }, { timeout: 60_000 });

    describe('a file', () => {
      it('is loaded, and the current package stays', async () => {
        const path = await file(
          'loaded.lisp',
          '(defpackage :loaded (:use :cl))\n(in-package :loaded)\n(defvar *x* 5)\n',
        );
        expect(await perform({ kind: 'load-file', path })).toMatchObject({ ok: true, package: 'COMMON-LISP-USER' });
        expect((await evaluate('loaded::*x*')).values).toEqual(['5']);
      });

      it('that fails says where', async () => {
        const path = await file('broken.lisp', '(defvar *a* 1)\n\n (error "in the file")\n');
        const { ok, error } = await perform({ kind: 'load-file', path });
        expect({ ok, error }).toMatchObject({ ok: false, error: { phase: 'load', file: path, line: 3, column: 1 } });
        const missing = await perform({ kind: 'load-file', path: join(folder(), 'missing.lisp') });
        expect(missing.error?.message).toContain('missing.lisp');
      });

      it('leaves the variables of the read-eval-print loop alone', async () => {
        const path = await file('values.lisp', '(+ 40 2)\n');
        await evaluate('(list :before)');
        await perform({ kind: 'load-file', path });
        expect((await evaluate('(list * / +)')).values).toEqual(['((:BEFORE) ((:BEFORE)) (LIST :BEFORE))']);
      });
    });

    describe('a system', () => {
      it('of the project is found and loaded, and each step is progress', async () => {
        await file('little.asd', '(asdf:defsystem "little" :version "1.2.3" :components ((:file "little")))');
        await file('little.lisp', '(defpackage :little (:use :cl)) (in-package :little) (defun answer () 42)');
        const steps: string[] = [];
        const operation = { kind: 'load-system', system: 'little' } as const;
        const loaded = await perform(operation, { timeout: 60_000, onProgress: (step) => void steps.push(step) });
        expect(loaded.error).toBeUndefined();
        expect(loaded.findings).toEqual([
          { kind: 'system', name: 'little 1.2.3', detail: 'compiled 1 file and loaded' },
        ]);
        expect(steps).toEqual(['Compiling little: little', 'Loading little']);
        expect((await evaluate('(little::answer)')).values).toEqual(['42']);
        expect((await load(':little')).findings).toEqual([
          { kind: 'system', name: 'little 1.2.3', detail: 'was loaded already' },
        ]);
      });

      it('in a folder below is found by plain ASDF, also if it appears later', async () => {
        await file('deep/down/deeper.asd', '(asdf:defsystem "deeper" :components ((:file "deeper")))');
        await file('deep/down/deeper.lisp', '(defpackage :deeper (:use :cl))');
        expect((await evaluate('(progn (asdf:load-system "deeper") (package-name :deeper))')).values).toEqual([
          '"DEEPER"',
        ]);
      });

      it('whose parts are found by their packages is loaded', async () => {
        await file(
          'parts/parts.asd',
          '(asdf:defsystem "parts" :class :package-inferred-system :depends-on ("parts/main"))',
        );
        await file(
          'parts/main.lisp',
          '(defpackage :parts/main (:use :cl)) (in-package :parts/main) (defun answer () 42)',
        );
        expect((await load('parts')).error).toBeUndefined();
        expect((await evaluate('(parts/main::answer)')).values).toEqual(['42']);
      });

      it('that is nowhere is named, with advice', async () => {
        const missing = await load('no-such-system-anywhere');
        expect(missing.error?.message).toContain('no-such-system-anywhere');
        expect(missing.error?.advice).toMatch(/Quicklisp is not installed here.*cl-no-such-system-anywhere/s);
      });

      it('whose dependency is missing says which, and how to get it', async () => {
        await file('needy.asd', '(asdf:defsystem "needy" :depends-on ("no-such-dependency" "cl-nor-this"))');
        const { error } = await load('needy');
        expect(error?.advice).toMatch(/needy depends on no-such-dependency and cl-nor-this,/);
        expect(error?.advice).toMatch(
          /packages cl-no-such-dependency and cl-nor-this, run ocicl install no-such-dependency cl-nor-this/,
        );
      });

      it('that can not be read says where the unfinished form begins', async () => {
        await file('unread.asd', '(asdf:defsystem "unread" :components ((:file "unread")))');
        const path = await file('unread.lisp', '(defvar *one* 1)\n\n(defun unread ()\n  (list 1)\n');
        const { error, findings } = await load('unread');
        expect(error).toMatchObject({ phase: 'compile', file: path, line: 3, column: 0 });
        expect(findings?.[0]).toMatchObject({ kind: 'system', name: 'unread', detail: 'not loaded' });
      });

      it('that evaluated code loads leaves the compiler chatter out', async (context) => {
        needs(context, 'compiler-positions');
        await file('chatty.asd', '(asdf:defsystem "chatty" :components ((:file "chatty")))');
        await file('chatty.lisp', '(defmacro chat () 1)\n(defun chatty (x) (declare (optimize (speed 3))) (+ x 1))\n');
        const { ok, stdout, stderr, warnings } = await evaluate('(asdf:load-system "chatty")');
        expect({ ok, stdout, stderr, warnings }).toEqual({ ok: true, stdout: '', stderr: '', warnings: [] });
      });

      it('whose code fails when it is loaded says in which file', async (context) => {
        await file('failing.asd', '(asdf:defsystem "failing" :components ((:file "failing")))');
        const path = await file('failing.lisp', '(defvar *one* 1)\n\n(defun fail () (error "at load time"))\n(fail)\n');
        const { error } = await load('failing');
        expect(error).toMatchObject({ message: 'at load time', phase: 'load', file: path });
        expect(error?.frames.join()).not.toMatch(/ASDF|UIOP/);
        needs(context, 'compiler-positions');
        expect(error).toMatchObject({ line: 3 });
      });

      it('that does not compile says which form', async (context) => {
        await file('wrong.asd', '(asdf:defsystem "wrong" :components ((:file "wrong")))');
        const path = await file('wrong.lisp', '(defvar *one* 1)\n\n(defun wrong ()\n  (let ((x 1 2)) x))\n');
        const { error } = await load('wrong');
        expect(error).toMatchObject({ phase: 'compile', file: path });
        needs(context, 'compiler-positions');
        expect(error).toMatchObject({ form: 2, line: 4, column: 8 });
      });

      it('has its warnings with file and line', async (context) => {
        needs(context, 'compiler-positions');
        await file('sloppy.asd', '(asdf:defsystem "sloppy" :components ((:file "sloppy")))');
        const path = await file(
          'sloppy.lisp',
          '(defpackage :sloppy (:use :cl))\n(in-package :sloppy)\n(defun f (unused)\n  (list (nowhere-defined 1)))\n',
        );
        const { ok, findings } = await load('sloppy');
        expect(ok).toBe(true);
        expect(findings?.slice(1).map(({ kind, name: message, place }) => [kind, message, place])).toEqual([
          ['style-warning', expect.stringContaining('UNUSED'), { file: path, form: 3, line: 3, column: 0 }],
          ['style-warning', expect.stringContaining('NOWHERE-DEFINED'), { file: path, form: 3, line: 4, column: 8 }],
        ]);
      });

      it('is tested, and each failure has its form and its place', async () => {
        await file(
          'sum/sum.asd',
          `(asdf:defsystem "sum" :components ((:file "sum")) :in-order-to ((asdf:test-op (asdf:test-op "sum/tests"))))
           (asdf:defsystem "sum/tests" :depends-on ("sum" "fiveam") :components ((:file "tests"))
             :perform (asdf:test-op (o c) (uiop:symbol-call :fiveam :run! :sum)))`,
        );
        const code = (operator: string) =>
          `(defpackage :sum (:use :cl) (:export #:sum)) (in-package :sum) (defun sum (a b) (${operator} a b))`;
        await file('sum/sum.lisp', code('-'));
        const tests = await file(
          'sum/tests.lisp',
          '(defpackage :sum/tests (:use :cl :fiveam :sum))\n(in-package :sum/tests)\n(def-suite :sum)\n(in-suite :sum)\n(test nothing (is (= 0 (sum 0 0))))\n(test numbers\n  (is (= 3 (sum 1 2))))\n',
        );
        const run = () => perform({ kind: 'test-system', system: 'sum' }, { timeout: 110_000 });
        const failed = await run();
        expect(failed.error).toBeUndefined();
        expect(failed).toMatchObject({ ok: false, tests: { library: 'FiveAM', passed: 1, failed: 1, skipped: 0 } });
        expect(failed.findings?.filter(({ kind }) => kind === 'failed')).toEqual([
          {
            kind: 'failed',
            name: expect.stringContaining('NUMBERS'),
            detail: expect.stringMatching(/\nin \(= 3 \(SUM:SUM 1 2\)\)$/),
            place: { file: tests, line: 6, column: 0 },
          },
        ]);
        // ASDF compares times in seconds.
        const path = await file('sum/sum.lisp', code('+'));
        await utimes(path, new Date(), new Date(Date.now() + 10_000));
        expect(await run()).toMatchObject({ ok: true, tests: { passed: 2, failed: 0 } });
      });

      it('is got by Quicklisp, qlot or ocicl where the user has them', async () => {
        const stand_in = (mark: string) => `
          (defpackage :ql (:use :cl) (:export #:quickload))
          (defun ql:quickload (name &key silent) (declare (ignore silent)) (setf (get :ql :${mark}) name))`;
        const home = join(folder(), 'home');
        await file('home/quicklisp/setup.lisp', stand_in('quicklisp'));
        await file('home/.local/share/ocicl/ocicl-runtime.lisp', '(defpackage :ocicl-runtime (:use :cl))');
        const environment = { HOME: home, XDG_CACHE_HOME: folder() };
        const plain = await another({ cwd: home, environment });
        const operation = { kind: 'load-system', system: 'asdf' } as const;
        const { findings, error } = await plain.perform(operation, PATIENT);
        expect(error).toBeUndefined();
        expect(findings?.filter(({ kind }) => kind === 'loaded').map((found) => found.name)).toEqual([
          'ocicl',
          'Quicklisp',
        ]);
        const asked = await plain.perform({ kind: 'evaluate', code: '(get :ql :quicklisp)' }, PATIENT);
        expect(asked.values).toEqual(['"asdf"']);
        await file('home/project/.qlot/setup.lisp', stand_in('qlot'));
        const qlot = await another({ cwd: home, projects: [join(home, 'project')], environment });
        const code = '(progn (ql:quickload :x) (get :ql :qlot))';
        expect((await qlot.perform({ kind: 'evaluate', code }, PATIENT)).values).toEqual([':X']);
      });
    });
  });
}
