type View = 'terminal' | 'page';

interface ReviewKey {
  /** As the user reads them: `j k ↓ ↑`. */
  readonly keys: string;
  readonly does: string;
  /** Said in this view only. */
  readonly also?: Partial<Record<View, string>>;
  readonly only?: View;
}

const KEYS: readonly ReviewKey[] = [
  { keys: 'y n', does: 'accept, reject the hunk at the cursor, and go to the next one that is not decided' },
  { keys: 'a r', does: 'accept, reject what is not decided yet, and send the decision' },
  { keys: 'Enter', does: 'send what y and n made of it, once all hunks are decided' },
  { keys: 'u U', does: 'take the last y, n or s back; take all of them back' },
  { keys: 's', does: 'split the hunk before the line at the cursor (at its first line: after it)' },
  { keys: 'A R', does: 'accept, reject all changes: of this file, of this turn or set, of this agent; asks which' },
  {
    keys: 'i H I',
    does: 'write a note on the line, on the hunk, on the whole change; d removes the note at the cursor',
  },
  { keys: 'C', does: 'ask for changes: nothing is written, and the agent gets your notes' },
  { keys: 'w', does: 'in a later round: the whole change, or what is new since the round before' },
  {
    keys: 'e',
    does: 'edit the result; Esc drops the edit, after asking',
    also: { terminal: 'the editor is $VISUAL or $EDITOR' },
  },
  { keys: 'c', does: 'copy the hunk to the clipboard' },
  { keys: 'h l ← →', does: 'the previous, the next change; o goes to the next that is not decided' },
  { keys: '] [', does: 'the next, the previous hunk', also: { terminal: 'also Tab, Shift-Tab' } },
  { keys: 'j k ↓ ↑', does: 'a line down, up' },
  { keys: 'Space b', does: 'a page down, up; also Page Down, Page Up' },
  { keys: 'g G', does: 'the first, the last line; also Home, End' },
  { keys: '+ -', does: 'show more, fewer unchanged lines' },
  { keys: 'v', does: 'side by side or one line below the other; by itself that follows the width' },
  { keys: '/', does: 'search, also in folded lines; small letters find capital ones, too. Esc forgets it' },
  { keys: '. ,', does: 'the next, the previous match' },
  {
    keys: 'mouse',
    does: 'the wheel scrolls; a click goes to a line or a listed change, or unfolds unchanged lines',
    only: 'terminal',
  },
  { keys: 'swipe', does: 'the previous, the next change', only: 'page' },
];

/** The keys of the review, which are the same in each view, for its help. */
export function reviewKeys(view: View): readonly { readonly keys: string; readonly does: string }[] {
  return KEYS.filter(({ only = view }) => only === view).map(({ keys, does, also }) => {
    const more = also?.[view];
    return { keys, does: more === undefined ? does : `${does}; ${more}` };
  });
}
