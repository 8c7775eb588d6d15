import { escapeAt, type Glyph, glyphAt, isPlain, type Piece } from './glyphs.ts';

/** A piece of a row, with the offset in the text at which it begins. */
export interface PlacedPiece extends Piece {
  readonly at: number;
}

/** One row of a screen. */
export type Pieces = readonly PlacedPiece[];

const TAB = 8;
/** No language needs more marks than this on one character. */
const MAX_MARKS = 8;
/** The longest escape, `<10FFFF>`, must fit. */
const NARROWEST = 8;
const LONGEST_RUN = 4096;

/** A text without line ends in rows of at most `columns` columns, at least one row. Nothing is left out. */
export function wrap(text: string, columns: number): readonly Pieces[] {
  return new Wrapping(text, columns).all();
}

/** On one line, as long as it is. */
export function escaped(text: string): string {
  return isPlain(text) ? text : textOf(wrap(text, Number.POSITIVE_INFINITY).flat());
}

/** One line of at most `columns` columns; what does not fit is replaced by dots. */
export function clip(text: string, columns: number): string {
  if (columns <= 0) return '';
  const whole = escaped(text.slice(0, enoughFor(columns)));
  if (widthOf(whole) <= columns) return whole;
  let [kept, width] = ['', 0];
  for (const glyph of glyphsOf(whole)) {
    width += glyph.width;
    if (width > columns - 1) break;
    kept += glyph.text;
  }
  return `${kept}…`;
}

/** The same, with the end kept: the end of a path says more than its beginning. */
export function clipStart(text: string, columns: number): string {
  if (columns <= 0) return '';
  const whole = escaped(text.slice(-enoughFor(columns)));
  if (widthOf(whole) <= columns) return whole;
  let [kept, width] = ['', 0];
  for (const glyph of glyphsOf(whole).reverse()) {
    width += glyph.width;
    if (width > columns - 1) break;
    kept = glyph.text + kept;
  }
  return `…${kept}`;
}

/** Rows of at most `columns` columns, broken between words where that is possible. At least one row. */
export function wrapWords(text: string, columns: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of text.split(' ')) {
    const longer = row === '' ? word : `${row} ${word}`;
    if (widthOf(escaped(longer)) <= columns) row = longer;
    else {
      if (row !== '') rows.push(row);
      const parts = wrap(word, columns).map(textOf);
      rows.push(...parts.slice(0, -1));
      row = parts.at(-1) ?? '';
    }
  }
  return [...rows, row];
}

/** The columns of a text that a function of this file returned. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  return glyphsOf(text).reduce((width, glyph) => width + glyph.width, 0);
}

/** A text longer than this never fits: a column takes at most a character and its marks, of two code units each. */
function enoughFor(columns: number): number {
  return (columns + 1) * (MAX_MARKS + 1) * 2;
}

function glyphsOf(text: string): Glyph[] {
  const glyphs: Glyph[] = [];
  for (let at = 0; at < text.length; at += glyphs.at(-1)?.length ?? 1) glyphs.push(glyphAt(text, at));
  return glyphs;
}

function textOf(pieces: Pieces): string {
  return pieces.map(({ text }) => text).join('');
}

/** The same, row by row as they are asked for: of a line of many megabytes only the beginning is on a screen. */
export class Wrapping {
  readonly #text: string;
  readonly #columns: number;
  /** Offsets at which a new piece begins, in order. */
  readonly #cuts: readonly number[];
  readonly #rows: Pieces[] = [];
  #at = 0;
  #nextCut = 0;
  /** How many marks stand on the last character; as many as may be when there is none to stand on. */
  #marks = MAX_MARKS;
  #row: PlacedPiece[] = [];
  #plain = '';
  #plainAt = 0;
  #width = 0;
  #isFinished = false;

  constructor(text: string, columns: number, cuts: readonly number[] = []) {
    this.#text = text;
    this.#columns = Math.max(columns, NARROWEST);
    this.#cuts = cuts;
  }

  /** Undefined after the last one. */
  row(index: number): Pieces | undefined {
    while (!this.#isFinished && this.#rows.length <= index) this.#goOn();
    return this.#rows[index];
  }

  all(): readonly Pieces[] {
    while (!this.#isFinished) this.#goOn();
    return this.#rows;
  }

  #goOn(): void {
    if (this.#at >= this.#text.length) {
      this.#next();
      this.#isFinished = true;
      return;
    }
    while ((this.#cuts[this.#nextCut] ?? Number.POSITIVE_INFINITY) <= this.#at) {
      this.#flush();
      this.#nextCut += 1;
    }
    const end = endOfPlain(this.#text, this.#at, this.#cuts[this.#nextCut]);
    if (end > this.#at) this.#addPlain(end);
    else if (this.#text[this.#at] === '\t') this.#addTab();
    else this.#addCharacter();
  }

  #addPlain(end: number): void {
    this.#marks = 0;
    while (this.#at < end) {
      if (this.#width >= this.#columns) this.#next();
      const taken = Math.min(end - this.#at, this.#columns - this.#width);
      this.#append(this.#text.slice(this.#at, this.#at + taken));
      this.#width += taken;
      this.#at += taken;
    }
  }

  #addCharacter(): void {
    const at = this.#at;
    const glyph = glyphAt(this.#text, at);
    if (glyph.width === 0) {
      this.#add(this.#marks < MAX_MARKS ? glyph : escapeAt(this.#text, at));
      this.#marks += 1;
    } else {
      this.#add(glyph);
      // Nothing combines with an escape.
      this.#marks = glyph.isEscape ? MAX_MARKS : 0;
    }
    this.#at = at + glyph.length;
  }

  #addTab(): void {
    if (this.#width >= this.#columns) this.#next();
    const width = Math.min(TAB - (this.#width % TAB), this.#columns - this.#width);
    this.#append(' '.repeat(width));
    this.#width += width;
    this.#marks = MAX_MARKS;
    this.#at += 1;
  }

  #add({ text, width, isEscape }: Glyph): void {
    if (this.#width + width > this.#columns) this.#next();
    this.#width += width;
    if (!isEscape) {
      this.#append(text);
      return;
    }
    this.#flush();
    this.#row.push({ text, isEscape, at: this.#at });
  }

  #append(text: string): void {
    if (this.#plain === '') this.#plainAt = this.#at;
    this.#plain += text;
  }

  #next(): void {
    this.#flush();
    this.#rows.push(this.#row);
    this.#row = [];
    this.#width = 0;
  }

  #flush(): void {
    if (this.#plain !== '') this.#row.push({ text: this.#plain, isEscape: false, at: this.#plainAt });
    this.#plain = '';
  }
}

function endOfPlain(text: string, from: number, cut = Number.POSITIVE_INFINITY): number {
  const most = Math.min(text.length, from + LONGEST_RUN, cut);
  let at = from;
  while (at < most) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) break;
    at += 1;
  }
  // A digit that is drawn as a key belongs to what follows it.
  const isKey = at > from && /^[\ufe0f\u20e3]/.test(text.charAt(at));
  return isKey ? at - 1 : at;
}
