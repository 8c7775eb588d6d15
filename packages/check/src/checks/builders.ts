import { type Check, type Finding, type Need, NotApplicable } from '../check.ts';
import { initializeParams } from '../params.ts';
import type { Session } from '../session.ts';
import type { Subject } from '../subject.ts';
import { expectAlive, expectError, expectErrorAfter, expectNoAnswer, expectResult } from './expectations.ts';

/** What is said about a check, besides how it runs. */
export type Facts = Omit<Check, 'run'>;

/** Checks that need this, except those that say otherwise. */
export function needing(needs: readonly Need[], checks: readonly Check[]): readonly Check[] {
  return checks.map((check) => ({ needs, ...check }));
}

/** A rule that is a row of a table: its facts, and what its builder needs to run it. */
export type Row<Extra> = Facts & Readonly<Extra>;

interface Request {
  readonly method: string;
  readonly params?: unknown;
}

/** A request in a session that must be refused with one of the codes. */
export function refuses({ method, params, codes = [-32602], ...facts }: Row<Request & { codes?: readonly number[] }>) {
  return inSession(facts, async (session) => expectError(await session.ask(method, params), codes));
}

/** A request in a session that must have a result. */
export function answers({ method, params, ...facts }: Row<Request>) {
  return inSession(facts, async (session) => expectResult(await session.ask(method, params)));
}

/** A text that is not a request, or not a valid one: it must be refused. */
export function refusesMessage({ message, ...facts }: Row<{ message: string }>) {
  return inSession(facts, async (session) =>
    expectErrorAfter(await session.probe(message), [-32600, -32602, -32700], 'an error with code -32600'),
  );
}

/** A text after which the connection must live on. */
export function survives({ message, ...facts }: Row<{ message: string }>) {
  return inSession(facts, async (session) => expectAlive(await session.probe(message)));
}

/** A notification that must not be answered, and after which the connection must live on. */
export function ignores({ message, ...facts }: Row<{ message: object }>) {
  return inSession(facts, async (session) => expectNoAnswer(await session.probe(message)));
}

/** A response to a request that the server never sent. Over HTTP the server may refuse it. */
export function ignoresResponse({ message, ...facts }: Row<{ message: object }>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const probe = await (await subject.shared()).probe(message);
      return subject.target.kind === 'http' ? expectAlive(probe) : expectNoAnswer(probe);
    },
  };
}

/** A bad `initialize`, on a connection of its own, that must be refused. */
export function refusesInitialize({ params, ...facts }: Row<{ params: unknown }>): Check {
  return {
    ...facts,
    run: async (subject) => expectError(await (await subject.bare()).ask('initialize', params), [-32602]),
  };
}

/** A version that no server supports: `initialize` must be answered with another one. */
export function offersOtherVersion({ version, ...facts }: Row<{ version: string }>): Check {
  return {
    ...facts,
    run: async (subject) =>
      expectResult(
        await (await subject.bare()).ask('initialize', initializeParams(version)),
        ({ protocolVersion }) => typeof protocolVersion === 'string' && protocolVersion !== version,
        'a result with a version that the server supports',
      ),
  };
}

function inSession(facts: Facts, look: (session: Session) => Promise<Finding | undefined>): Check {
  return { ...facts, run: async (subject) => await look(await subject.shared()) };
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
