import type { PlacedNote } from '@hawser/diffs/items';
import type { Note, Proposal } from '../proposal.ts';

/**
 * The user's notes on a proposal, and those of the round before, at their lines. `compares` says what is on the left of
 * the page: the file, or the text that was proposed then.
 */
export function placedNotes(
  notes: readonly Note[],
  { previous, oldText }: Proposal,
  compares: 'file' | 'round',
): readonly PlacedNote[] {
  const own = notes.map((note): PlacedNote => {
    // The file itself is not on the page then.
    const isHidden = compares === 'round' && note.lines?.side === 'old';
    return { line: { kind: 'note', text: note.text, note }, ...(isHidden ? {} : endOf(note)) };
  });
  const earlier = (previous?.notes ?? []).map((note): PlacedNote => {
    const said = `round ${previous?.round}: ${note.text}`;
    const { side, first = 0 } = note.lines ?? {};
    if (compares === 'round' && side === 'new') return { line: { kind: 'note', text: said }, ...endOf(note, 'old') };
    if (compares === 'file' && side === 'old' && oldText === previous?.oldText) {
      return { line: { kind: 'note', text: said }, ...endOf(note) };
    }
    const place = side === undefined ? '' : ` (${side === 'old' ? 'old ' : ''}line ${first + 1} then)`;
    return { line: { kind: 'note', text: `${said}${place}` } };
  });
  return [...earlier, ...own];
}

/** Below the last line that it is about. */
function endOf({ lines }: Note, side = lines?.side): Pick<PlacedNote, 'at'> {
  if (lines === undefined || side === undefined) return {};
  return { at: { side, line: lines.first + Math.max(1, lines.count) - 1 } };
}
