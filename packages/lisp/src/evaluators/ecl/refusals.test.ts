import { describe, expect, it } from 'vitest';
import { useEvaluator } from '../../../testing/evaluator-under-test.ts';
import type { Operation } from '../../evaluator.ts';
import { eclEngine } from './engine.ts';

// The contract suites leave these out for ECL.
describe('what ECL can not do is refused with a sentence that says so', () => {
  const { perform, evaluate } = useEvaluator('ECL', async () => eclEngine({ environment: process.env }));

  it.each<[Operation, string]>([
    [
      { kind: 'profile', code: '(+ 1 2)' },
      'ECL has no statistical profiler. Start the server with --engine sbcl for one.',
    ],
    [{ kind: 'macroexpand', form: '(when a b)', depth: 'all' }, "ECL can't expand subforms. Use depth full."],
    [
      { kind: 'find-references', symbol: 'car', relation: 'callers' },
      'ECL keeps no cross references. Start the server with --engine sbcl for them.',
    ],
  ])('%o', async (operation, message) => {
    expect(await perform(operation)).toMatchObject({ ok: false, error: { message } });
  });

  it('in an open error', async () => {
    await evaluate('(defun failing (a) (when a (error "look")) (list a))');
    expect(await perform({ kind: 'evaluate', code: '(failing 5)', onError: 'break' })).toMatchObject({
      debugging: true,
    });
    const locals = await perform({ kind: 'debug', action: { do: 'locals', frame: 0 } });
    expect(locals).toMatchObject({ ok: false, error: { message: 'ECL does not show the variables of a frame.' } });
    const evaluated = await perform({ kind: 'debug', action: { do: 'evaluate', frame: 0, form: 'a' } });
    expect(evaluated).toMatchObject({ ok: false, error: { message: 'ECL cannot evaluate in a frame.' } });
  });
});
