import { describe, expect, it } from 'vitest';
import { type EngineNotes, useEvaluator } from '../testing/evaluator-under-test.ts';
import type { Engine } from './evaluator.ts';

/** How every evaluator expands, compiles, traces, profiles and inspects. `prepare` is called once, before the tests. */
export function describeOperations(name: string, prepare: () => Promise<Engine>, notes: EngineNotes = {}): void {
  describe(`${name} keeps the contract of the operations`, () => {
    const { needs, perform, evaluate } = useEvaluator(name, prepare, notes);

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
      const { findings = [] } = await perform({ kind: 'compile', form: '(list 1)' });
      expect(findings.filter(({ kind }) => kind !== 'note')).toEqual([]);
    });

    it('what the compiler says has a place', async (context) => {
      needs(context, 'compiler-positions');
      const form = '(defun f (x)\n  (let ((unused 1))\n    (list x)))';
      const { findings } = await perform({ kind: 'compile', form });
      expect(findings).toEqual([
        { kind: 'style-warning', name: expect.stringContaining('UNUSED'), place: { line: 2, column: 8 } },
      ]);
    });

    it('a long list comes in parts, and each says how many there are', async () => {
      const first = await perform({ kind: 'inspect', form: '(loop for i below 600 collect i)' });
      expect([first.findings?.length, first.total]).toEqual([100, 600]);
      const last = await perform({ kind: 'inspect', form: '(loop for i below 600 collect i)', offset: 598, limit: 5 });
      expect([last.findings?.map(({ detail }) => detail), last.total]).toEqual([['598', '599'], 600]);
      const matches = await perform({ kind: 'apropos', text: 'a', limit: 3 });
      expect(matches.findings).toHaveLength(3);
      expect(matches.total).toBeGreaterThan(1000);
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
      const lambda = await perform({ kind: 'disassemble', form: '(lambda (x) (list x))' });
      expect(lambda.stdout.length).toBeGreaterThan(100);
      expect(lambda.warnings).toEqual([]);
    });

    it('a profile says where the time went', async (context) => {
      needs(context, 'profiler');
      const code = '(defun slow-part () (let ((x 0)) (dotimes (i 300000000 x) (setf x (logxor x i))))) (slow-part)';
      const outcome = await perform({ kind: 'profile', code }, { timeout: 50_000 });
      expect(outcome).toMatchObject({ ok: true });
      expect(outcome.findings).toContainEqual(
        expect.objectContaining({
          name: 'SLOW-PART',
          detail: expect.stringMatching(/^self [\d.]+ %, total [\d.]+ %$/),
        }),
      );
      // The evaluation itself is no finding.
      expect(outcome.findings?.map(({ name: found }) => found).join()).not.toMatch(/#:|EVAL|nanosleep|call_into_lisp/);
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

    it('an object is shown in short, with the numbers of its parts', async () => {
      const form = '(make-array 5000 :initial-element 123456)';
      const { values, findings, warnings } = await perform({ kind: 'inspect', form, offset: 4990, limit: 2 });
      expect(findings?.map(({ part }) => part)).toEqual([4990, 4991]);
      expect(values[0]?.length).toBeLessThan(600);
      expect(warnings).toEqual([]);
      expect((await perform({ kind: 'inspect', part: 4991 })).values).toEqual(['123456']);
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
        { kind: 'slot', name: 'X', detail: '1', part: 0 },
        { kind: 'slot', name: 'Y', detail: '"two"', part: 1 },
      ]);
      const table = await perform({
        kind: 'inspect',
        form: "(let ((h (make-hash-table))) (setf (gethash :k h) 'v) h)",
      });
      expect(table.findings).toEqual([{ kind: 'entry', name: ':K', detail: 'V', part: 0 }]);
      const list = await perform({ kind: 'inspect', form: "'(1 . 2)" });
      expect(list.findings?.map(({ kind, detail }) => [kind, detail])).toEqual([
        ['element', '1'],
        ['tail', '2'],
      ]);
    });
  });
}
