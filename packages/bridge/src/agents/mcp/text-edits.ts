import type { Position } from '../../editor.ts';
import type { TextEdit } from '../../language-features.ts';

export interface Replacement {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean;
}

/** The text with all replacements made, one after the other. Throws, naming the replacement, if one doesn't fit. */
export function replaceTexts(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((current, { old_text, new_text, replace_all = false }, index) => {
    const [oldText, newText] = [plain(old_text), plain(new_text)];
    const which = replacements.length === 1 ? 'old_text' : `old_text of edit ${index + 1}`;
    if (oldText === '') throw new Error(`${which} is empty; to write the whole file, give new_text instead of edits`);
    const parts = current.split(oldText);
    if (parts.length === 1) {
      throw new Error(
        `${which} is not in the file; read the file again, and copy the text exactly: ${shortened(oldText)}`,
      );
    }
    if (parts.length > 2 && !replace_all) {
      throw new Error(
        `${which} is in the file ${parts.length - 1} times; add lines around it, or set replace_all: ${shortened(oldText)}`,
      );
    }
    return parts.join(newText);
  }, text);
}

/** The text with the edits of a language server, whose positions are all in the text before them. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length);
  const offsetOf = ({ line, character }: Position) => {
    const start = starts[line];
    return start === undefined ? text.length : Math.min(start + character, starts[line + 1] ?? text.length);
  };
  let [result, at] = ['', 0];
  const placed = edits.map(({ range, newText }) => ({ from: offsetOf(range.start), to: offsetOf(range.end), newText }));
  // Insertions at one place keep their order.
  for (const { from, to, newText } of placed.toSorted((one, other) => one.from - other.from)) {
    if (from < at) throw new Error('The language server sent edits that overlap');
    result += text.slice(at, from) + newText;
    at = to;
  }
  return result + text.slice(at);
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
