import { isList, isObject, listOrEmpty, type Members, memberAt } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import type { Subject } from '../subject.ts';
import { firstFinding, firstOf, refuses } from './builders.ts';
import { expectError, expectResult, expectThat } from './expectations.ts';

const COMPLETION_ERRORS = '2025-11-25 Completion §Error Handling';
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const completionNeeds = ['sessions', 'completions'] as const;
const loggingNeeds = ['sessions', 'logging'] as const;

/** A completion for the first argument of a prompt. */
async function completed(subject: Subject, more: object = {}): Promise<{ answer: Awaited<ReturnType<typeof ask>> }> {
  const prompt = await firstOf(
    subject.once('prompts or none', () => subject.list('prompts').catch(() => [])),
    ({ arguments: given }) => isList(given) && given.length > 0,
    'No prompt has an argument.',
  );
  const ref = { type: 'ref/prompt', name: prompt.name };
  const name = memberAt(listOrEmpty(prompt.arguments)[0], 'name');
  return { answer: await ask(subject, { ref, argument: { name, value: '' }, ...more }) };
}

async function ask(subject: Subject, params: object) {
  return await (await subject.shared()).ask('completion/complete', params);
}

function valuesIn({ result }: { readonly result: Members }): readonly unknown[] | undefined {
  const values = memberAt(result, 'completion', 'values');
  return isList(values) ? values : undefined;
}

export const completionAndLoggingChecks: readonly Check[] = [
  {
    id: 'logging-level',
    title: 'logging/setLevel is answered with an empty result',
    severity: 'error',
    spec: '2025-11-25 Logging §Setting Log Level',
    needs: ['sessions', 'logging'],
    run: async (subject) =>
      expectResult(
        await (await subject.shared()).ask('logging/setLevel', { level: 'warning' }),
        () => true,
        'the result {}',
      ),
  },
  refuses({
    id: 'logging-level-unknown',
    title: 'An unknown log level is answered with -32602',
    severity: 'warning',
    spec: '2025-11-25 Logging §Error Handling',
    needs: ['sessions', 'logging'],
    method: 'logging/setLevel',
    params: { level: 'loud' },
  }),
  {
    id: 'completion-unknown-prompt',
    title: 'A completion for an unknown prompt is answered with -32602, or with no values',
    severity: 'warning',
    spec: '2025-11-25 Completion §Error Handling',
    needs: ['sessions', 'completions'],
    run: async (subject) => {
      const ref = { type: 'ref/prompt', name: 'hawser-no-such-prompt' };
      const answer = await (await subject.shared()).ask('completion/complete', {
        ref,
        argument: { name: 'x', value: '' },
      });
      if (answer.kind === 'result' && valuesIn(answer)?.length === 0) return undefined;
      return expectError(answer, [-32602]);
    },
  },
  {
    id: 'logging-levels',
    title: 'logging/setLevel accepts each of the eight levels',
    severity: 'error',
    spec: '2025-11-25 Logging §Log Levels',
    needs: loggingNeeds,
    run: async (subject) => {
      const session = await subject.shared();
      // Whether a level is accepted at all, logging-level says with this one.
      const others = LEVELS.filter((level) => level !== 'warning');
      return await firstFinding(others, async (level) =>
        expectResult(await session.ask('logging/setLevel', { level }), () => true, 'the result {}'),
      );
    },
  },
  refuses({
    id: 'logging-level-missing',
    title: 'logging/setLevel without a level is answered with -32602',
    severity: 'warning',
    spec: '2025-11-25 Logging §Error Handling',
    needs: loggingNeeds,
    method: 'logging/setLevel',
    params: {},
  }),
  {
    id: 'completion-shape',
    title: 'A completion has an array of strings, and if given a number "total" and a boolean "hasMore"',
    severity: 'error',
    spec: '2025-11-25 Completion §CompleteResult',
    needs: completionNeeds,
    run: async (subject) =>
      expectResult(
        (await completed(subject)).answer,
        ({ completion }) =>
          isObject(completion) &&
          isList(completion.values) &&
          completion.values.every((value: unknown) => typeof value === 'string') &&
          ['number', 'undefined'].includes(typeof completion.total) &&
          ['boolean', 'undefined'].includes(typeof completion.hasMore),
        '"completion" with an array of strings "values"',
      ),
  },
  {
    id: 'completion-limit',
    title: 'A completion has 100 values at most',
    severity: 'error',
    spec: '2025-11-25 Completion §Completion Results',
    needs: completionNeeds,
    run: async (subject) => {
      const { answer } = await completed(subject);
      const count = answer.kind === 'result' ? valuesIn(answer)?.length : undefined;
      if (count === undefined) throw new NotApplicable('The server completes nothing.');
      return expectThat(count <= 100, `${count} values`, '100 at most, and "hasMore": true');
    },
  },
  {
    id: 'completion-context',
    title: 'A completion with a context of other arguments is answered',
    severity: 'error',
    spec: '2025-11-25 Completion §CompleteRequest',
    needs: completionNeeds,
    run: async (subject) =>
      expectResult(
        (await completed(subject, { context: { arguments: { other: 'value' } } })).answer,
        () => true,
        'a result',
      ),
  },
  refuses({
    id: 'completion-reference-type',
    title: 'A completion for an unknown type of reference is answered with -32602',
    severity: 'warning',
    spec: COMPLETION_ERRORS,
    needs: completionNeeds,
    method: 'completion/complete',
    params: { ref: { type: 'ref/hawser' }, argument: { name: 'x', value: '' } },
  }),
  refuses({
    id: 'completion-without-argument',
    title: 'A completion without an argument is answered with -32602',
    severity: 'warning',
    spec: COMPLETION_ERRORS,
    needs: completionNeeds,
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'hawser-no-such-prompt' } },
  }),
];
