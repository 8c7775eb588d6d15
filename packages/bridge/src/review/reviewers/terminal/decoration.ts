import { type DiffLine, isTextLine, type TextLine } from '@hawser/diffs/diff-lines';
import type { Style } from '../../../terminal/paint.ts';
import { CodeColours } from './code-colours.ts';
import { layered, type StyleRange } from './style-ranges.ts';

export type Colouring = typeof import('./colouring.ts');

/** A longer line is shown as it is. */
const MAX_DECORATED = 2000;

export interface DecoratedChange {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
}

/** How the lines of one change look: syntax colours, the words that change, notes about line ends. */
export class Decoration {
  readonly #colouring: Colouring;
  readonly #old: CodeColours | undefined;
  readonly #new: CodeColours | undefined;

  constructor({ path, oldText, newText }: DecoratedChange, colouring: Colouring, onReady: () => void) {
    this.#colouring = colouring;
    const language = colouring.languageOf(path);
    if (language === undefined) return;
    const highlight = (text: string) => colouring.highlight(text, language);
    this.#old = new CodeColours({ text: oldText, highlight, onReady });
    this.#new = new CodeColours({ text: newText, highlight, onReady });
  }

  rangesOf(line: DiffLine): readonly StyleRange[] {
    if (!isTextLine(line) || line.length > MAX_DECORATED) return noteRanges(line);
    return layered(this.#syntax(line), noteRanges(line), this.#words(line));
  }

  #syntax({ oldLine, newLine, length }: TextLine): readonly StyleRange[] {
    const ranges =
      newLine === undefined ? (this.#old?.rangesOf(oldLine ?? 0) ?? []) : (this.#new?.rangesOf(newLine) ?? []);
    return ranges.flatMap(({ from, to, style }) => (from < length ? { from, to: Math.min(to, length), style } : []));
  }

  #words(line: TextLine): readonly StyleRange[] {
    if (line.partner === undefined || line.partner.length > MAX_DECORATED) return [];
    const tint = line.kind === 'removed' ? 'removed word' : 'added word';
    return this.#colouring.changedIn(line).map(([from, to]) => ({ from, to, style: { tint } }));
  }
}

/** `\ No newline at end of file` is not part of the line. After a fold stands what the next hunk is in. */
export function noteRanges(line: DiffLine): readonly StyleRange[] {
  if (!('length' in line) || line.text.length <= line.length + 1) return [];
  const style: Style = line.kind === 'fold' ? { colour: 'magenta', weight: 'bold' } : { colour: 'grey' };
  return [{ from: line.length, to: line.text.length, style }];
}
