import { isList, isObject, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import type { Finding } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import type { Answer, Probe } from '../session.ts';

/** The answers among what was received: not notifications, not requests of the server. */
export function answersIn({ received }: Probe): Members[] {
  return received.flatMap((item) =>
    item.kind === 'message' && item.message.method === undefined ? [item.message] : [],
  );
}

/** The same, those of a batch one by one. */
export function eachAnswerIn(probe: Probe): Members[] {
  return answersIn(probe).flatMap((answer) => (isList(answer) ? answer.map(objectOrEmpty) : [answer]));
}

export function probeInWords(probe: Probe): string {
  const answers = answersIn(probe);
  const statuses = probe.received.flatMap((item) => (item.kind === 'status' ? [`HTTP ${item.status}`] : []));
  const all = [...answers.map(shown), ...statuses];
  return all.length === 0 ? 'no answer' : all.join(', ');
}

/** `seen` is a function where an answer is put into words: a right one may be too large or too deep for that. */
export function expectThat(isRight: boolean, seen: string | (() => string), expected: string): Finding | undefined {
  return isRight ? undefined : { seen: typeof seen === 'string' ? seen : seen(), expected };
}

/** The server must answer with one of the codes; an HTTP status from 400 on says the same. */
export function expectErrorAfter(probe: Probe, codes: readonly number[], expected: string): Finding | undefined {
  if (probe.received.some((item) => item.kind === 'status' && item.status >= 400)) return undefined;
  const isRight = eachAnswerIn(probe).some(({ error }) => isOneOf(codes, memberAt(error, 'code')));
  return isRight ? undefined : { seen: probe.dead ?? probeInWords(probe), expected };
}

/** Whatever it answers, it must go on. */
export function expectAlive(probe: Probe): Finding | undefined {
  if (probe.dead === undefined) return undefined;
  return { seen: probe.dead, expected: 'the server lives on and answers ping' };
}

export function expectNoAnswer(probe: Probe): Finding | undefined {
  const answers = answersIn(probe);
  if (answers.length > 0) return { seen: shown(answers[0]), expected: 'no answer' };
  return expectAlive(probe);
}

/** The request must fail, with one of the codes if there are any given. */
export function expectError(answer: Answer, codes: readonly number[] = []): Finding | undefined {
  if (answer.kind === 'status' && answer.status >= 400 && answer.status < 500) return undefined;
  const isRight = answer.kind === 'error' && (codes.length === 0 || isOneOf(codes, answer.code));
  if (isRight) return undefined;
  const expected = codes.length === 0 ? 'an error' : `an error with code ${codes.join(' or ')}`;
  return { seen: inWords(answer), expected, ...certainty(answer) };
}

export function expectResult(
  answer: Answer,
  isRight: (result: Members) => boolean = () => true,
  expected = 'a result',
): Finding | undefined {
  if (answer.kind === 'result' && isObject(answer.message.result) && isRight(answer.result)) return undefined;
  return { seen: inWords(answer), expected, ...certainty(answer) };
}

/** Whether it is a result or an error does not matter. */
export function expectAnswer(answer: Answer, expected = 'a result or an error'): Finding | undefined {
  return expectThat(answer.kind !== 'silence' && answer.kind !== 'end', () => inWords(answer), expected);
}

function certainty({ kind }: Answer): Pick<Finding, 'isCertain'> {
  return kind === 'result' || kind === 'error' ? { isCertain: true } : {};
}

export function countOf(answers: readonly Members[], id: unknown): number {
  return answers.filter((answer) => answer.id === id).length;
}

export function expectOneEach(ids: readonly string[], answers: readonly Members[], what: string): Finding | undefined {
  const wrong = ids.find((id) => countOf(answers, id) !== 1);
  return expectThat(
    wrong === undefined,
    `${countOf(answers, wrong)} answers to one of ${ids.length} ${what}`,
    'one answer each',
  );
}

export function isOneOf(known: readonly unknown[], value: unknown): boolean {
  return known.includes(value);
}

/** The first item of a list that breaks a rule. */
export function expectEach(
  items: readonly unknown[],
  isRight: (item: Members) => boolean,
  { what, expected }: { readonly what: string; readonly expected: string },
): Finding | undefined {
  const wrong = items.filter((item) => !isRight(objectOrEmpty(item)));
  if (wrong.length === 0) return undefined;
  const more = wrong.length === 1 ? '' : ` and ${wrong.length - 1} more`;
  return { seen: `${what} ${shown(wrong[0])}${more}`, expected, isCertain: true };
}

export function duplicatesIn(names: readonly unknown[]): unknown[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}
