import { mergeTexts } from '@hawser/diffs/merge';
import type { ProposedChange } from '../proposal.ts';
import type { RememberedDecision } from './decision.ts';
import type { DecisionTexts } from './history.ts';

/** Who proposes it. */
export const UNDO = 'hawser undo';

/** Why a change can't be taken back. The message is for the user. */
export class NothingToUndo extends Error {
  override readonly name = 'NothingToUndo';
}

/**
 * The change that takes a decision back, to be reviewed: what was changed in the file since stays, where it touches other
 * lines. `fileText` is what the file contains now, exactly; undefined for no file.
 */
export function undoOf(
  { path, agent, decision, effect }: RememberedDecision,
  { oldText, newText, accepted, lost }: DecisionTexts,
  fileText: string | undefined,
): ProposedChange {
  const isNoticed = effect === 'noticed' || effect === 'noticedDelete';
  // A noticed change that was rejected was taken back then.
  const [before, after] = decision === 'accepted' ? [oldText, accepted] : isNoticed ? [newText, oldText] : [];
  if (decision !== 'accepted' && !isNoticed)
    throw new NothingToUndo(`${path} was not changed: the proposal was rejected`);
  if (lost.length > 0) throw new NothingToUndo(`The texts of this change of ${path} are no longer kept`);
  const ends = (text: string | undefined) => withEndsOf(text, fileText);
  const [base, wanted] = [ends(after), ends(before)];
  if (fileText === wanted) throw new NothingToUndo(`${path} is as it was before this change`);
  const change = { path, oldText: fileText, agent: UNDO, title: `Undo the change of ${path} by ${agent}` };
  if (wanted === undefined) return { ...change, newText: '', effect: 'delete' };
  const merged = fileText === base ? wanted : mergeTexts({ base, ours: wanted, theirs: fileText });
  if (merged === fileText) throw new NothingToUndo(`${path} is as it was before this change`);
  return { ...change, newText: merged ?? wanted };
}

/** Texts of agents have LF where the file has CRLF. */
function withEndsOf(text: string | undefined, fileText: string | undefined): string | undefined {
  const isCrlf = fileText?.includes('\r\n') === true && text?.includes('\r\n') === false;
  return isCrlf ? text?.replaceAll('\n', '\r\n') : text;
}
