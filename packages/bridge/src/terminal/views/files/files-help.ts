import { MOVE_HELP } from '../../list-cursor.ts';
import type { KeyHelp } from '../../view.ts';

export const FILES_HELP: readonly KeyHelp[] = [
  { keys: '/', does: 'find a file: type some characters of its path, Enter opens it, Esc ends typing' },
  ...MOVE_HELP,
  { keys: 'Enter', does: 'open the chosen file' },
  { keys: '@', does: 'mention the file, or the selected lines, to all agents' },
  { keys: 'R', does: 'list the files again' },
  { keys: 'v', does: 'in a file: begin or end a selection of lines; agents see what is selected' },
  { keys: 'Shift-↓ Shift-↑', does: 'in a file: select line by line' },
  { keys: 'c', does: 'in a file: copy the selected lines to the clipboard of the terminal' },
  { keys: ':', does: 'in a file: go to a line' },
  { keys: 'Esc', does: 'drop the selection, then go back to the list' },
];
