import type { KeyHelp } from '../../../terminal/view.ts';

/** The keys of the review view. */
export const REVIEW_HELP: readonly KeyHelp[] = [
  { keys: 'a', does: 'accept the change' },
  { keys: 'r', does: 'reject it' },
  { keys: 'y n', does: 'accept, reject the hunk at the cursor' },
  { keys: 'Enter', does: 'send what y and n made of it, once all hunks are decided' },
  { keys: 'u', does: 'clear y and n' },
  { keys: 'e', does: 'edit the result in $VISUAL or $EDITOR; Esc drops the edit' },
  { keys: 'j k ↓ ↑', does: 'a line down, up' },
  { keys: 'Space b', does: 'a page down, up' },
  { keys: 'g G', does: 'to the first, to the last line' },
  { keys: 'Tab ] [', does: 'to the next, the next, the previous hunk' },
  { keys: 'h l ← →', does: 'the previous, the next change' },
];
