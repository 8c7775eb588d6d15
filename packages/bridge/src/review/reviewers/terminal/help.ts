import type { KeyHelp } from '../../../terminal/view.ts';

/** The keys of the review view. */
export const REVIEW_HELP: readonly KeyHelp[] = [
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
  { keys: 'e', does: 'edit the result in $VISUAL or $EDITOR; Esc drops the edit, after asking' },
  { keys: 'c', does: 'copy the hunk to the clipboard of the terminal' },
  { keys: 'h l ← →', does: 'the previous, the next change; o goes to the next that is not decided' },
  { keys: '] [', does: 'the next, the previous hunk; also Tab, Shift-Tab' },
  { keys: 'j k ↓ ↑', does: 'a line down, up' },
  { keys: 'Space b', does: 'a page down, up; also Page Down, Page Up' },
  { keys: 'g G', does: 'the first, the last line; also Home, End' },
  { keys: '+ -', does: 'show more, fewer unchanged lines' },
  { keys: 'v', does: 'side by side or one line below the other; by itself that follows the width' },
  { keys: '/', does: 'search, also in folded lines; small letters find capital ones, too. Esc forgets it' },
  { keys: '. ,', does: 'the next, the previous match' },
  { keys: 'mouse', does: 'the wheel scrolls; a click goes to a line or a listed change, or unfolds unchanged lines' },
];
