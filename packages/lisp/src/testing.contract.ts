import { describe, expect, it } from 'vitest';
import { type EngineNotes, useEvaluator } from '../testing/evaluator-under-test.ts';
import { PARACHUTE, ROVE } from '../testing/test-libraries.ts';
import type { Engine } from './evaluator.ts';

/** How every evaluator runs tests. `prepare` is called once, before the tests. */
export function describeTesting(name: string, prepare: () => Promise<Engine>, notes: EngineNotes = {}): void {
  describe(`${name} keeps the contract of tests`, { timeout: 300_000 }, () => {
    const { perform, evaluate, file } = useEvaluator(name, prepare, notes);
    const test = (system: string) => perform({ kind: 'test-system', system }, { timeout: 290_000 });
    const failures = async (system: string) => {
      const { findings, tests, ok, error } = await test(system);
      expect(error).toBeUndefined();
      return { ok, tests, failed: findings?.filter(({ kind }) => kind === 'failed') };
    };

    const failure = (name: RegExp, detail: RegExp, file: string, line: number) => ({
      kind: 'failed',
      name: expect.stringMatching(name),
      detail: expect.stringMatching(detail),
      place: { file, line, column: 0 },
    });

    it('each failure of FiveAM has its form and its place, also beside errors and skipped tests', async () => {
      if (notes.compileSoon !== undefined) await evaluate(notes.compileSoon);
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
        `(defpackage :sum/tests (:use :cl :fiveam :sum))
(in-package :sum/tests)
(def-suite :sum)
(in-suite :sum)
(test nothing (is (= 0 (sum 0 0))))
(test later (skip "not now"))
(test numbers-of-all-kinds (is (= 1/2 (sum 1/2 0))))
(test numbers
  (is (= 3 (sum 1 2)))
  (is (= 4 (sum 2 2))))
(test refusing (is (= 1 (sum "a" 1))))
`,
      );
      const failed = await failures('sum');
      expect(failed).toMatchObject({ ok: false, tests: { library: 'FiveAM', passed: 2, failed: 3, skipped: 1 } });
      expect(failed.failed?.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
        failure(/NUMBERS$/, /\nin \(= 3 \(SUM:SUM 1 2\)\)$/, tests, 8),
        failure(/NUMBERS$/, /\nin \(= 4 \(SUM:SUM 2 2\)\)$/, tests, 8),
        failure(/REFUSING$/, /Unexpected Error/, tests, 11),
      ]);
      const evaluated = await evaluate('(asdf:test-system "sum")', { timeout: 60_000 });
      expect(evaluated).toMatchObject({ ok: false, tests: { library: 'FiveAM', passed: 2, failed: 3, skipped: 1 } });
      expect(evaluated.error).toBeUndefined();
      await file('sum/sum.lisp', code('+'));
      expect((await test('sum')).tests).toMatchObject({ passed: 4, failed: 1 });
    });

    it('failures of Parachute and Rove are read, too', async () => {
      await file('stand-in/parachute.asd', '(asdf:defsystem "parachute" :components ((:file "parachute")))');
      await file('stand-in/parachute.lisp', PARACHUTE);
      await file('stand-in/rove.asd', '(asdf:defsystem "rove" :components ((:file "rove")))');
      await file('stand-in/rove.lisp', ROVE);
      await file(
        'two.asd',
        `(asdf:defsystem "two")
         (asdf:defsystem "two/parachute" :depends-on ("parachute") :components ((:file "two-parachute"))
           :perform (asdf:test-op (o c) (uiop:symbol-call :org.shirakumo.parachute :test :two)))
         (asdf:defsystem "two/rove" :depends-on ("rove") :components ((:file "two-rove"))
           :perform (asdf:test-op (o c) (uiop:symbol-call :rove/core/stats :run-recorded)))`,
      );
      const parachute = await file(
        'two-parachute.lisp',
        '(in-package :org.shirakumo.parachute)\n\n(define-test numbers\n  (result :passed (= 1 1)) (result :failed (= 1 2))\n  (result :skipped (= 1 3)))\n',
      );
      expect(await failures('two/parachute')).toEqual({
        ok: false,
        tests: { library: 'Parachute', passed: 1, failed: 1, skipped: 1 },
        failed: [failure(/^NUMBERS$/, /^\(= 1 2\) failed\.\nin \(= 1 2\)$/, parachute, 3)],
      });
      const rove = await file(
        'two-rove.lisp',
        '(in-package :rove/core/stats)\n(deftest numbers\n  (ok (= 1 1))\n  (ok (error "bad news")))\n',
      );
      expect(await failures('two/rove')).toEqual({
        ok: false,
        tests: { library: 'Rove', passed: 1, failed: 1, skipped: 0 },
        failed: [
          failure(
            /^suite \/ NUMBERS \/ inner$/,
            /^Expected\. SIMPLE-ERROR: bad news\nin \(ERROR "bad news"\)$/,
            rove,
            2,
          ),
        ],
      });
    });

    it('a system without results of a known library says so, and an error of its test-op is an error', async () => {
      await file(
        'plain.asd',
        `(asdf:defsystem "plain" :components ())
         (asdf:defsystem "plain/loud" :perform (asdf:test-op (o c) (format t "2 of 3 fine") (error "one failed")))`,
      );
      const { ok, tests, stdout } = await test('plain');
      expect({ ok, tests, stdout }).toEqual({ ok: true, tests: { passed: 0, failed: 0, skipped: 0 }, stdout: '' });
      const loud = await test('plain/loud');
      expect(loud).toMatchObject({ ok: false, stdout: '2 of 3 fine', error: { message: 'one failed' } });
      expect(loud.error?.line).toBeUndefined();
    });
  });
}
