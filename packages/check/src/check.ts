import type { Subject } from './subject.ts';

export type Severity = 'error' | 'warning' | 'info';

/** What a server must have for a check to apply. */
export type Need =
  | 'stdio'
  | 'http'
  | 'websocket'
  /** It answers `initialize`. */
  | 'sessions'
  /** It serves revision 2026-07-28. */
  | 'stateless'
  | 'tools'
  | 'resources'
  | 'prompts'
  | 'logging'
  | 'completions';

/** One rule of the protocol, and how to see whether a server follows it. */
export interface Check {
  /** Kebab case; users name it with --only and --skip. */
  readonly id: string;
  /** A fact about a server that passes. */
  readonly title: string;
  readonly severity: Severity;
  /** The revision and the section that the rule is in. */
  readonly spec: string;
  readonly needs?: readonly Need[];
  /** It can run a tool of the server, so it needs the user's consent. */
  readonly callsTools?: true;
  /** Resolves to undefined if the server passes. Throws NotApplicable if it can't be told. */
  run(subject: Subject): Promise<Finding | undefined>;
}

/** How a server breaks a rule. */
export interface Finding {
  readonly seen: string;
  readonly expected: string;
  /** It rests on what the server answered, not on silence: another try would show the same. */
  readonly isCertain?: true;
}

/** The server gives no occasion for this check. The message says why. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}
