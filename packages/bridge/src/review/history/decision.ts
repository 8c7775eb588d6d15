import { parseObject } from '@hawser/unknown-values/objects';
import type { Note, ProposalEffect, Writer } from '../proposal.ts';

/** One decision of the user, as it is remembered. Texts are named by their hash; undefined means no file. */
export interface RememberedDecision {
  readonly id: string;
  /** As in `2026-01-31T12:00:00.000Z`. */
  readonly time: string;
  readonly path: string;
  readonly agent: string;
  readonly effect: ProposalEffect;
  readonly decision: 'accepted' | 'rejected' | 'changesRequested';
  /** Where the user decided, or the rule that did. */
  readonly by: string;
  readonly writer: Writer;
  readonly oldText?: string;
  readonly newText?: string;
  /** What was accepted. */
  readonly accepted?: string;
  readonly notes: readonly Note[];
}

/** Undefined if it is not one: another version of this program may have written it, or a crash left half a line. */
export function decisionIn(line: string): RememberedDecision | undefined {
  const { id, time, path, agent, decision } = parseObject(line) ?? {};
  const isWhole = [id, time, path, agent, decision].every((member) => typeof member === 'string');
  return isWhole ? (JSON.parse(line) as RememberedDecision) : undefined;
}
