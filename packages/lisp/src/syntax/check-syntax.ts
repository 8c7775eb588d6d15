import { SBCL_FEATURES } from './features.ts';
import { positionAt } from './position.ts';
import { Reader } from './reader.ts';

export interface SyntaxReport {
  readonly ok: boolean;
  /** Complete top-level forms before the first error. */
  readonly forms: number;
  /** In the order of the text; at most `MAX_PROBLEMS`. */
  readonly problems: readonly SyntaxProblem[];
}

export interface SyntaxProblem {
  /** A warning is about something that only the Lisp can decide. */
  readonly severity: 'error' | 'warning';
  /** 1-based. */
  readonly line: number;
  /** 0-based, in characters. */
  readonly column: number;
  readonly message: string;
}

const MAX_PROBLEMS = 20;

/**
 * Reads Common Lisp code as the standard reader would and reports problems, without a Lisp. It does not know packages,
 * structures and custom reader macros.
 */
export function checkSyntax(code: string, features: readonly string[] = SBCL_FEATURES): SyntaxReport {
  const reader = new Reader(code, new Set(features.map((feature) => feature.replace(/^:/, '').toUpperCase())));
  reader.readAll();
  const problems = reader.problems
    .toSorted((a, b) => a.at - b.at)
    .slice(0, MAX_PROBLEMS)
    .map(({ at, severity, message }) => ({ severity, ...positionAt(code, at), message }));
  return { ok: reader.formsBeforeError === undefined, forms: reader.formsBeforeError ?? reader.forms, problems };
}
