import { type Check, type Finding, NotApplicable } from '../check.ts';
import type { Subject } from '../subject.ts';
import { expectAlive, expectError, expectErrorAfter, expectResult } from './expectations.ts';

/** What is said about a check, besides how it runs. */
export type Facts = Omit<Check, 'run'>;

/** A request in a session that must be refused with one of the codes. */
export function refuses(facts: Facts, method: string, params?: unknown, codes: readonly number[] = [-32602]): Check {
  return {
    needs: ['sessions'],
    ...facts,
    run: async (subject) => expectError(await (await subject.shared()).ask(method, params), codes),
  };
}

/** A request in a session that must have a result. */
export function answers(facts: Facts, method: string, params?: unknown): Check {
  return {
    needs: ['sessions'],
    ...facts,
    run: async (subject) => expectResult(await (await subject.shared()).ask(method, params), () => true, 'a result'),
  };
}

/** A text that is not a request, or not a valid one: it must be refused. */
export function refusesMessage(facts: Facts, message: string): Check {
  return {
    needs: ['sessions'],
    ...facts,
    run: async (subject) => {
      const probe = await (await subject.shared()).probe(message);
      return expectErrorAfter(probe, [-32600, -32602, -32700], 'an error with code -32600');
    },
  };
}

/** A text after which the connection must live on. */
export function survives(facts: Facts, message: string): Check {
  return {
    needs: ['sessions'],
    ...facts,
    run: async (subject) => expectAlive(await (await subject.shared()).probe(message)),
  };
}

/** The item of a list that a check needs. */
export async function firstOf<T>(
  items: Promise<readonly T[]>,
  isRight: (item: T) => boolean,
  none: string,
): Promise<T> {
  const item = (await items).find(isRight);
  if (item === undefined) throw new NotApplicable(none);
  return item;
}

/** A finding for the first of several things that is wrong. */
export async function firstFinding<T>(
  items: readonly T[],
  look: (item: T) => Promise<Finding | undefined>,
): Promise<Finding | undefined> {
  for (const item of items) {
    const finding = await look(item);
    if (finding !== undefined) return { ...finding, seen: `${String(item)}: ${finding.seen}` };
  }
  return undefined;
}

export function requireKind(subject: Subject, kinds: readonly Subject['target']['kind'][], reason: string): void {
  if (!kinds.includes(subject.target.kind)) throw new NotApplicable(reason);
}
