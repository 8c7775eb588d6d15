import { CodeColours } from './code-colours.ts';
import type { DiffLine, TextLine } from './diff-lines.ts';
import { layered, type StyleRange } from './style-ranges.ts';

export type Colouring = typeof import('./colouring.ts');

/** A longer line is shown as it is. */
const MAX_DECORATED = 2000;

/** How the lines of one change look: syntax colours, the words that change, notes about line ends. */
export class Decoration {
  readonly #colouring: Colouring;
  readonly #new: CodeColours | undefined;

  constructor(path: string, newText: string, colouring: Colouring, onReady: () => void) {
    this.#colouring = colouring;
    const language = colouring.languageOf(path);
    if (language === undefined) return;
    const highlight = (text: string) => colouring.highlight(text, language);
    this.#new = new CodeColours({ text: newText, highlight, onReady });
  }

  rangesOf(line: DiffLine): readonly StyleRange[] {
    if (line.kind === 'fold' || line.kind === 'note' || line.length > MAX_DECORATED) return noteRanges(line);
    return layered(this.#syntax(line), noteRanges(line), this.#words(line));
  }

  /** What is removed stays red: it need not be read as code. */
  #syntax({ kind, newLine, length }: TextLine): readonly StyleRange[] {
    if (kind === 'removed' || newLine === undefined) return [];
    const ranges = this.#new?.rangesOf(newLine) ?? [];
    return ranges.flatMap(({ from, to, style }) => (from < length ? { from, to: Math.min(to, length), style } : []));
  }

  #words({ kind, text, length, partner }: TextLine): readonly StyleRange[] {
    if (partner === undefined || partner.length > MAX_DECORATED) return [];
    const own = text.slice(0, length);
    const isOld = kind === 'removed';
    const words = isOld ? this.#colouring.changedWords(own, partner) : this.#colouring.changedWords(partner, own);
    const colour = isOld ? ('red' as const) : ('green' as const);
    const changed = (isOld ? words?.old : words?.new) ?? [];
    return changed.map(([from, to]) => ({ from, to, style: { colour, isReversed: true } }));
  }
}

/** `\ No newline at end of file` is not part of the line. */
export function noteRanges(line: DiffLine): readonly StyleRange[] {
  if (line.kind === 'fold' || line.kind === 'note' || line.text.length <= line.length + 1) return [];
  return [{ from: line.length, to: line.text.length, style: { colour: 'grey' } }];
}
