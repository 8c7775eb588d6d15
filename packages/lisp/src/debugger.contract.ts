import { afterEach, describe, expect, it } from 'vitest';
import { type EngineNotes, useEvaluator } from '../testing/evaluator-under-test.ts';
import type { Engine, Operation } from './evaluator.ts';

/** What the debugger of every evaluator must do. `prepare` is called once, before the tests. */
export function describeDebugger(name: string, prepare: () => Promise<Engine>, notes: EngineNotes = {}): void {
  describe(`${name} keeps the contract of the debugger`, () => {
    const { needs, perform, evaluate } = useEvaluator(name, prepare, notes);

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

    it('restarts are listed, and the last one abandons the evaluation', async () => {
      const { error } = await breaking('(restart-case (error "x") (carry-on () :report "Carry on."))');
      expect(error?.restarts[0]).toEqual({ name: 'CARRY-ON', description: 'Carry on.' });
      expect(error?.restarts.at(-1)?.name).toBe('ABORT');
      expect(error?.restarts).toHaveLength(2);
    });

    it.for([['the action'], ['the restart']] as const)('abort by %s leaves it with the same result', async ([by]) => {
      const { error } = await breaking('(error "x")');
      const index = error?.restarts.findIndex((restart) => restart.name === 'ABORT') ?? -1;
      const left = await debug(by === 'the action' ? { do: 'abort' } : { do: 'restart', index });
      expect(left).toMatchObject({ ok: true, values: [] });
      expect([left.debugging, left.error]).toEqual([undefined, undefined]);
      expect((await evaluate('(+ 1 1)')).values).toEqual(['2']);
    });

    it.for([
      ['one that takes none', 0],
      ['ABORT', 1],
    ] as const)('arguments for %s leave an error that can be left', async ([, index]) => {
      await breaking('(restart-case (error "x") (carry-on () :report "Carry on." (values :carried-on)))');
      await debug({ do: 'restart', index, arguments: ['1', '2'] });
      const left = await debug({ do: 'abort' }).catch(() => undefined);
      expect(left?.error?.message ?? 'No error is open.').toMatch(/^No error is open\./);
      expect((await evaluate('(+ 1 1)')).debugging).toBeUndefined();
    });

    it.for([
      ['(list 1', /not closed/],
      ['1 2', /more than one form/],
      ['', /no form/],
    ] as const)('the argument %j is refused, and the error stays open', async ([argument, why]) => {
      await breaking('(restart-case (error "x") (use-that (v) :report "Use that." v))');
      const wrong = await debug({ do: 'restart', index: 0, arguments: [argument] });
      expect(wrong).toMatchObject({ ok: false, debugging: true });
      expect(wrong.error?.message).toMatch(why);
      expect(await debug({ do: 'restart', index: 0, arguments: ['5'] })).toMatchObject({ ok: true, values: ['5'] });
    });

    it.for([
      [
        'none for a restart that asks for them',
        0,
        [],
        /^Restart 0 asks for values\. Give a form for each in "arguments"\.$/,
      ],
      ['two for USE-VALUE', 0, ['1', '2'], /^Restart 0 \[USE-VALUE\] takes one argument, not 2\.$/],
      ['two for STORE-VALUE', 1, ['1', '2'], /^Restart 1 \[STORE-VALUE\] takes one argument, not 2\.$/],
    ] as const)('arguments: %s are refused, and the error stays open', async ([, index, args, why]) => {
      await breaking(
        '(restart-case (error "x") (use-value (v) :interactive (lambda () (list (read *query-io*))) v) (store-value (v) v))',
      );
      const wrong = await debug({ do: 'restart', index, arguments: args });
      expect(wrong).toMatchObject({ ok: false, debugging: true, error: { message: expect.stringMatching(why) } });
      expect(await debug({ do: 'restart', index, arguments: ['5'] })).toMatchObject({ ok: true, values: ['5'] });
    });

    it.for([
      ['none', 0, []],
      ['two', 0, ['1', '2']],
      ['one', 1, ['1']],
    ] as const)(
      'a restart that does not take %s is not invoked, and the error stays open',
      async ([, index, args], context) => {
        needs(context, 'restart-arguments');
        await breaking('(restart-case (error "x") (use-that (v) v) (carry-on () :carried-on))');
        const wrong = await debug({ do: 'restart', index, arguments: args });
        expect(wrong).toMatchObject({ ok: false, debugging: true, error: { restarts: [] } });
        expect(wrong.error?.message).toMatch(
          new RegExp(`^Restart ${index} \\[.*Give a form for each value that it takes in "arguments"\\.$`, 's'),
        );
        expect((await debug({ do: 'restart', index: 7 })).error?.message).toContain('0: [USE-THAT]');
        expect(await debug({ do: 'restart', index: 0, arguments: ['5'] })).toMatchObject({ ok: true, values: ['5'] });
      },
    );

    it('a restart of the Lisp itself without its argument is refused', async () => {
      const { error } = await breaking('(let ((x 5)) (check-type x string) x)');
      const index = error?.restarts.findIndex(({ name }) => name === 'STORE-VALUE') ?? -1;
      expect(await debug({ do: 'restart', index })).toMatchObject({ ok: false, debugging: true });
      expect(await debug({ do: 'restart', index, arguments: ['"five"'] })).toMatchObject({
        ok: true,
        values: ['"five"'],
      });
    });

    it('a restart that finds its values by itself needs no arguments', async () => {
      await breaking('(restart-case (error "x") (guess (v) :interactive (lambda () (list 7)) v))');
      expect(await debug({ do: 'restart', index: 0 })).toMatchObject({ ok: true, values: ['7'] });
    });

    it('a restart without a name is listed without one', async (context) => {
      needs(context, 'unnamed-restarts');
      await breaking('(restart-case (error "x") (nil () :report "Carry on." :unnamed))');
      expect((await debug({ do: 'restart', index: 9 })).error?.message).toMatch(/\n0: Carry on\.\n1: \[ABORT\]/);
      expect(await debug({ do: 'restart', index: 0 })).toMatchObject({ ok: true, values: [':UNNAMED'] });
    });

    it('a wrong restart number is answered with the restarts of the open error', async () => {
      await breaking('(restart-case (error "x") (carry-on () :report "Carry on." (values :carried-on)))');
      const wrong = await debug({ do: 'restart', index: 7 });
      expect(wrong).toMatchObject({ ok: false, debugging: true, error: { restarts: [] } });
      expect(wrong.error?.message).toMatch(/^There is no restart 7\..*\n0: \[CARRY-ON\] Carry on\.\n1: \[ABORT\]/s);
      expect(await debug({ do: 'restart', index: 0 })).toMatchObject({ ok: true, values: [':CARRIED-ON'] });
    });

    it('other operations work on top of it and leave it open', async () => {
      await breaking('(error "first")');
      expect(await evaluate('(+ 1 1)')).toMatchObject({ ok: true, values: ['2'], debugging: true });
      expect(await breaking('(error "second")')).toMatchObject({ ok: false, debugging: true });
      expect(await evaluate('(loop)', { timeout: 200 })).toMatchObject({ interrupted: 'timeout', debugging: true });
      expect(await debug({ do: 'locals', frame: 99 })).toMatchObject({ ok: false, debugging: true });
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

    it('local variables of a frame are listed', async (context) => {
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

    it('a form for a frame that can not be read is refused', async (context) => {
      needs(context, 'evaluate-in-frame');
      await breaking('(defun broken (x) (when x (error "x")) (list x)) (broken 4)');
      const wrong = await debug({ do: 'evaluate', frame: 0, form: '(list x' });
      expect(wrong.error).toMatchObject({ type: 'END-OF-FILE', message: expect.stringMatching(/not closed/) });
      expect((await debug({ do: 'evaluate', frame: 0, form: 'x x' })).error?.message).toMatch(/more than one form/);
      expect((await debug({ do: 'evaluate', frame: 0, form: '(list x)' })).values).toEqual(['(4)']);
    });

    it('an action without an open error is refused', async () => {
      const { ok, error } = await debug({ do: 'abort' });
      expect(ok).toBe(false);
      expect(error?.message).toContain('No error is open');
    });
  });
}
