import type { Finding } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import type { Answer, Probe } from '../session.ts';
import type { Json } from '../wires/wire.ts';

/** The answers among what was received: not notifications, not requests of the server. */
export function answersIn({ received }: Probe): Json[] {
  return received.flatMap((item) =>
    item.kind === 'message' && (Array.isArray(item.message) || item.message.method === undefined) ? [item.message] : [],
  );
}

export function probeInWords(probe: Probe): string {
  const answers = answersIn(probe);
  const statuses = probe.received.flatMap((item) => (item.kind === 'status' ? [`HTTP ${item.status}`] : []));
  const all = [...answers.map(shown), ...statuses];
  return all.length === 0 ? 'no answer' : all.join(', ');
}

/** The server must answer with one of the codes; an HTTP status from 400 on says the same. */
export function expectErrorAfter(probe: Probe, codes: readonly number[], expected: string): Finding | undefined {
  if (probe.received.some((item) => item.kind === 'status' && item.status >= 400)) return undefined;
  // The answers to a batch are an array.
  const answers = answersIn(probe).flat();
  const isRight = answers.some((answer) => codes.includes(answer?.error?.code));
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
  const isRight = answer.kind === 'error' && (codes.length === 0 || codes.includes(answer.code as number));
  if (isRight) return undefined;
  const expected = codes.length === 0 ? 'an error' : `an error with code ${codes.join(' or ')}`;
  return { seen: inWords(answer), expected, ...certainty(answer) };
}

export function expectResult(
  answer: Answer,
  isRight: (result: Json) => boolean,
  expected: string,
): Finding | undefined {
  if (answer.kind === 'result' && isObject(answer.result) && isRight(answer.result)) return undefined;
  return { seen: inWords(answer), expected, ...certainty(answer) };
}

function certainty({ kind }: Answer): Pick<Finding, 'isCertain'> {
  return kind === 'result' || kind === 'error' ? { isCertain: true } : {};
}

export function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first item of a list that breaks a rule. */
export function expectEach(
  items: readonly Json[],
  isRight: (item: Json) => boolean,
  { what, expected }: { readonly what: string; readonly expected: string },
): Finding | undefined {
  const wrong = items.filter((item) => !isRight(item));
  if (wrong.length === 0) return undefined;
  const more = wrong.length === 1 ? '' : ` and ${wrong.length - 1} more`;
  return { seen: `${what} ${shown(wrong[0])}${more}`, expected, isCertain: true };
}

export function duplicatesIn(names: readonly unknown[]): unknown[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}
