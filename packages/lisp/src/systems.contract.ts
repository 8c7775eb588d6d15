import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EngineNotes, PATIENT, useEvaluator } from '../testing/evaluator-under-test.ts';
import type { Engine } from './evaluator.ts';

/** How every evaluator loads files and systems. `prepare` is called once, before the tests. */
export function describeSystems(name: string, prepare: () => Promise<Engine>, notes: EngineNotes = {}): void {
  describe(`${name} keeps the contract of files and systems`, () => {
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

      it('must be a file, and its text UTF-8', async () => {
        const directory = await perform({ kind: 'load-file', path: folder() });
        expect(directory.error?.message).toBe(`${folder()} is a folder. Give the path of a file.`);
        const path = await file('binary.lisp', Buffer.from([0x28, 0xff, 0xfe, 0xf5, 0x80, 0x80, 0x80, 0x29]));
        expect((await perform({ kind: 'load-file', path })).error?.message).toBe(`${path} is not UTF-8 text.`);
        const latin = await file('latin.lisp', Buffer.from('(defvar *latin* "caf\xe9")', 'latin1'));
        const { error, warnings } = await perform({ kind: 'load-file', path: latin });
        expect([error?.message ?? '', ...warnings].join('')).toContain(`${latin} is not UTF-8 text`);
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
        const path = await file(
          'little.lisp',
          '(defpackage :little (:use :cl)) (in-package :little) (defun answer () 42)',
        );
        await utimes(path, new Date(), new Date(Date.now() - 10_000));
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

      it('without files of its own is loaded once, too', async () => {
        await file('hull.asd', '(asdf:defsystem "hull" :components ())');
        expect((await load('hull')).findings).toEqual([{ kind: 'system', name: 'hull', detail: 'loaded' }]);
        expect((await load('hull')).findings).toEqual([{ kind: 'system', name: 'hull', detail: 'was loaded already' }]);
      });

      it('that was changed within a second of its compilation is compiled again', async () => {
        await file('quick.asd', '(asdf:defsystem "quick" :components ((:file "quick")))');
        const outputs = '(asdf:output-files (quote asdf:compile-op) (asdf:find-component "quick" "quick"))';
        for (const number of [1, 2, 3]) {
          const path = await file('quick.lisp', `(defpackage :quick (:use :cl))\n(defun quick::answer () ${number})`);
          if (number > 1) {
            const { values } = await evaluate(`(values (namestring (first ${outputs})))`);
            const { mtime } = await stat(JSON.parse(values[0] ?? ''));
            await utimes(path, mtime, mtime);
          }
          expect((await load('quick')).error).toBeUndefined();
          expect((await evaluate('(quick::answer)')).values).toEqual([String(number)]);
        }
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
        expect(error).toMatchObject({ phase: 'read', file: path, form: 2, line: 3, column: 0 });
        expect(error?.message).toBe('The form that begins here is not closed before the end of the text.');
        expect(findings).toEqual([{ kind: 'system', name: 'unread', detail: 'not loaded' }]);
      });

      it('whose definition can not be read says where, too', async () => {
        const path = await file('half.asd', '(defpackage :half (:use :cl))\n(asdf:defsystem "half" :components (');
        expect((await load('half')).error).toMatchObject({
          phase: 'read',
          file: path,
          line: 2,
          message: 'The form that begins here is not closed before the end of the text.',
        });
        await file('half.asd', '(asdf:defsystem "half" :version #.(no-such-package-at-all:x))');
        const { error } = await load('half');
        expect(error).toMatchObject({ file: path, message: expect.stringMatching(/NO-SUCH-PACKAGE-AT-ALL/) });
      });

      it('that names a missing file, or uses a package of no dependency, says what to do', async () => {
        await file('lacking.asd', '(asdf:defsystem "lacking" :components ((:file "not-there")))');
        expect((await load('lacking')).error?.advice).toMatch(/Create it, or correct the name/);
        await file('lacking.asd', '(asdf:defsystem "lacking" :components ((:file "lacking")))');
        await utimes(join(folder(), 'lacking.asd'), new Date(), new Date(Date.now() + 10_000));
        await file('lacking.lisp', '(defun lacking () (cl-ppcre:scan "a" "b"))');
        expect((await load('lacking')).error?.advice).toBe('Add "cl-ppcre" to :depends-on in the .asd file.');
      });

      it('that evaluated code loads leaves the compiler chatter out', async (context) => {
        needs(context, 'compiler-positions');
        await file('chatty.asd', '(asdf:defsystem "chatty" :components ((:file "chatty")))');
        await file('chatty.lisp', '(defmacro chat () 1)\n(defun chatty (x) (declare (optimize (speed 3))) (+ x 1))\n');
        const { ok, stdout, stderr, warnings } = await evaluate('(asdf:load-system "chatty")');
        expect({ ok, stdout, stderr, warnings }).toEqual({ ok: true, stdout: '', stderr: '', warnings: [] });
      });

      it.for([
        ['(error "stray form")', /stray form/, undefined],
        ['(in-package :no-such-package-at-all)', /NO-SUCH-PACKAGE-AT-ALL/, /in the package ASDF-USER/],
      ] as const)('whose .asd file says %s has the line of the form', async ([form, message, advice]) => {
        const path = await file('stray.asd', `(defpackage :stray (:use :cl))\n\n${form}\n`);
        const { error } = await load('stray');
        expect(error).toMatchObject({ phase: 'load', file: path, form: 2, line: 3, column: 0 });
        expect(error?.message).toMatch(message);
        if (advice !== undefined) expect(error?.advice).toMatch(advice);
      });

      it('is named by its name, not by its file', async () => {
        const path = await file('by-file.asd', '(asdf:defsystem "by-file")');
        for (const written of ['by-file.asd', path]) {
          expect((await load(written)).error?.advice).toBe('Give the name of a system, not of a file: "by-file".');
        }
      });

      it('that the .asd file of that name does not define is missed there', async () => {
        const path = await file('named-so.asd', '(asdf:defsystem "named-otherwise")');
        expect((await load('named-so')).error?.advice).toBe(
          `${path} does not define a system "named-so". Give the name in its defsystem form.`,
        );
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
        const { error, findings } = await load('wrong');
        expect(error).toMatchObject({ phase: 'compile', file: path });
        needs(context, 'compiler-positions');
        expect(error).toMatchObject({ form: 2, line: 4, column: 8 });
        // The error itself is not among the findings again.
        expect(findings?.map(({ kind }) => kind)).toEqual(['system']);
      });

      it('has its warnings with file and line', async (context) => {
        await file('sloppy.asd', '(asdf:defsystem "sloppy" :components ((:file "sloppy")))');
        const path = await file(
          'sloppy.lisp',
          '(defpackage :sloppy (:use :cl))\n(in-package :sloppy)\n(defun f (unused)\n  (list (nowhere-defined 1)))\n',
        );
        const { ok, findings } = await load('sloppy');
        expect(ok).toBe(true);
        const place = expect.objectContaining({ file: path, line: 3, column: 0 });
        expect(findings?.[1]).toEqual({
          kind: 'style-warning',
          name: expect.stringMatching(/^The variable .*\bUNUSED .*\.$/),
          place,
        });
        needs(context, 'compiler-positions');
        expect(findings?.slice(1).map(({ kind, name: message, place }) => [kind, message, place])).toEqual([
          ['style-warning', expect.stringContaining('UNUSED'), { file: path, form: 3, line: 3, column: 0 }],
          ['style-warning', expect.stringContaining('NOWHERE-DEFINED'), { file: path, form: 3, line: 4, column: 8 }],
        ]);
      });

      it('has all of many warnings', async (context) => {
        needs(context, 'compiler-positions');
        await file('many.asd', '(asdf:defsystem "many" :components ((:file "many")))');
        const functions = Array.from({ length: 520 }, (_, index) => `(defun many-${index} (unused) 1)`);
        await file('many.lisp', `${functions.join('\n')}\n`);
        const { findings, total } = await load('many');
        expect(findings?.filter(({ kind }) => kind === 'style-warning')).toHaveLength(500);
        expect(findings?.at(-1)).toEqual({ kind: 'note', name: '20 more warnings were not kept.' });
        expect(total).toBe(502);
      });

      it('has no warnings of libraries that were installed into the project', async () => {
        await file('quicklisp/dists/rough/rough.asd', '(asdf:defsystem "rough" :components ((:file "rough")))');
        const rough = '(defpackage :rough (:use :cl))\n(in-package :rough)\n(defun f (unused) 1)\n';
        const library = await file('quicklisp/dists/rough/rough.lisp', rough);
        await file('smooth.asd', '(asdf:defsystem "smooth" :depends-on ("rough") :components ((:file "smooth")))');
        await file('smooth.lisp', '(defpackage :smooth (:use :cl))\n');
        const { ok, findings, stdout, stderr } = await load('smooth');
        expect(ok).toBe(true);
        expect(findings?.map(({ kind, name }) => [kind, name])).toEqual([
          ['system', 'rough'],
          ['system', 'smooth'],
        ]);
        // The output has them.
        expect(stdout + stderr).toContain(library);
      });

      it('has a place for each of its definitions', async () => {
        await file('atlas.asd', '(asdf:defsystem "atlas" :components ((:file "other") (:file "atlas")))');
        await file(
          'other.lisp',
          '(defpackage :other-atlas (:use :cl)) (in-package :other-atlas)\n(defclass place () ())\n(defvar *count* 1)\n',
        );
        const path = await file(
          'atlas.lisp',
          `(defpackage :atlas (:use :cl))
(in-package #:atlas)
(defvar *count* 0)
(defconstant +most+ 9)
(defclass place () ((size :accessor size)))
(defstruct (pin (:conc-name p-)) at)
(define-condition lost (error) ())
(deftype distance () 'real)
(defmacro with-place ((name) &body body) \`(let ((,name 1)) ,@body))
(defgeneric area (place)
  (:method ((place (eql :none))) 0))
(defmethod area ((place place)) 1)
(defmethod area :around ((place place)) (call-next-method))
(defmethod area ((place (eql 'all))) 5)
(defun travel () (area :none))
(defun (setf home) (value) value)
`,
        );
        expect((await load('atlas')).error).toBeUndefined();
        const { findings = [] } = await perform({ kind: 'list-definitions', package: 'atlas' });
        const lines = findings.map(({ kind, name: found, place }) => [`${kind} ${found}`, place?.line]);
        expect(Object.fromEntries(lines)).toMatchObject({
          'variable *COUNT*': 3,
          'constant +MOST+': 4,
          'class PLACE': 5,
          'structure PIN': 6,
          'condition LOST': 7,
          'type DISTANCE': 8,
          'macro WITH-PLACE': 9,
          'generic-function SIZE': 5,
          'method (SIZE (PLACE))': 5,
          'generic-function (SETF SIZE)': 5,
          'method ((SETF SIZE) (T PLACE))': 5,
          'generic-function AREA': 10,
          'method (AREA (PLACE))': 12,
          'method (AREA :AROUND (PLACE))': 13,
          'method (AREA ((EQL ALL)))': 14,
          'function TRAVEL': 15,
          'function (SETF HOME)': 16,
        });
        expect(findings.filter(({ place }) => place !== undefined && place.file !== path)).toEqual([]);
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
