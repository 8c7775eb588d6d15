/** A piece of text that a terminal can be given: no character of it does anything but show itself. */
export interface Piece {
  readonly text: string;
  /** It stands for a character that cannot be shown as it is. */
  readonly isEscape: boolean;
}

/** One row of a screen. */
export type Pieces = readonly Piece[];

interface Glyph extends Piece {
  /** In columns. */
  readonly width: number;
}

const TAB = 8;
/** More marks than this on one character are nothing that a language needs. */
const MAX_MARKS = 8;
/** The longest escape, `<10FFFF>`, must fit. */
const NARROWEST = 8;

/** A text without line ends in rows of at most `columns` columns, at least one row. Nothing is left out. */
export function wrap(text: string, columns: number): readonly Pieces[] {
  return new Wrapping(text, columns).all();
}

/** On one line, as long as it is. */
export function escaped(text: string): string {
  return wrap(text, Number.POSITIVE_INFINITY)
    .flat()
    .map((piece) => piece.text)
    .join('');
}

/** Whether a terminal can be given the text as it is. */
export function isPrintable(text: string): boolean {
  return isPlain(text) || !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
}

/** One line of at most `columns` columns; what does not fit is replaced by dots. */
export function clip(text: string, columns: number): string {
  if (columns <= 0) return '';
  const whole = escaped(text.slice(0, enoughFor(columns)));
  if (widthOf(whole) <= columns) return whole;
  let [kept, width] = ['', 0];
  for (const character of whole) {
    const next = width + widthOfCharacter(character);
    if (next > columns - 1) break;
    [kept, width] = [kept + character, next];
  }
  return `${kept}…`;
}

/** The same, with the end kept: the end of a path says more than its beginning. */
export function clipStart(text: string, columns: number): string {
  if (columns <= 0) return '';
  const whole = escaped(text.slice(-enoughFor(columns)));
  if (widthOf(whole) <= columns) return whole;
  let [kept, width] = ['', 0];
  for (const character of [...whole].reverse()) {
    const next = width + widthOfCharacter(character);
    if (next > columns - 1) break;
    [kept, width] = [character + kept, next];
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
      const parts = wrap(word, columns).map((pieces) => pieces.map((piece) => piece.text).join(''));
      rows.push(...parts.slice(0, -1));
      row = parts.at(-1) ?? '';
    }
  }
  return [...rows, row];
}

/** So long a text never fits: a column takes at most a character and its marks, of two code units each. */
function enoughFor(columns: number): number {
  return (columns + 1) * (MAX_MARKS + 1) * 2;
}

/** The columns of a text that a function of this file returned. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

/** The same, row by row as they are asked for: of a line of many megabytes only the beginning is on a screen. */
export class Wrapping {
  readonly #text: string;
  readonly #columns: number;
  readonly #rows: Pieces[] = [];
  #at = 0;
  /** How many marks stand on the last character; as many as may be when there is none to stand on. */
  #marks = MAX_MARKS;
  #row: Piece[] = [];
  #plain = '';
  #width = 0;
  #isFinished = false;

  constructor(text: string, columns: number) {
    this.#text = text;
    this.#columns = Math.max(columns, NARROWEST);
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
    const end = endOfPlain(this.#text, this.#at);
    if (end > this.#at) {
      this.#addPlain(this.#text.slice(this.#at, end));
      this.#at = end;
    } else {
      const character = characterAt(this.#text, this.#at);
      this.#addCharacter(character);
      this.#at += character.length;
    }
  }

  #addPlain(run: string): void {
    this.#marks = 0;
    let rest = run;
    while (rest !== '') {
      if (this.#width >= this.#columns) this.#next();
      const taken = rest.slice(0, this.#columns - this.#width);
      this.#plain += taken;
      this.#width += taken.length;
      rest = rest.slice(taken.length);
    }
  }

  #addCharacter(character: string): void {
    if (character === '\t') {
      this.#addTab();
      return;
    }
    const glyph = glyphOf(character);
    if (glyph.width === 0) {
      this.#add(this.#marks < MAX_MARKS ? glyph : escapeOf(character));
      this.#marks += 1;
    } else {
      this.#add(glyph);
      // Nothing combines with an escape.
      this.#marks = glyph.isEscape ? MAX_MARKS : 0;
    }
  }

  #addTab(): void {
    if (this.#width >= this.#columns) this.#next();
    const width = Math.min(TAB - (this.#width % TAB), this.#columns - this.#width);
    this.#plain += ' '.repeat(width);
    this.#width += width;
    this.#marks = MAX_MARKS;
  }

  #add({ text, width, isEscape }: Glyph): void {
    if (this.#width + width > this.#columns) this.#next();
    this.#width += width;
    if (!isEscape) {
      this.#plain += text;
      return;
    }
    this.#flush();
    this.#row.push({ text, isEscape });
  }

  #next(): void {
    this.#flush();
    this.#rows.push(this.#row);
    this.#row = [];
    this.#width = 0;
  }

  #flush(): void {
    if (this.#plain !== '') this.#row.push({ text: this.#plain, isEscape: false });
    this.#plain = '';
  }
}

const PLAIN = /^[\x20-\x7e]*$/;
/** Combine with what stands before them. The vowels and finals of Hangul do that with its initials. */
const MARK = /^(?!\p{Default_Ignorable_Code_Point})[\p{Mn}\p{Me}\u{1160}-\u{11ff}\u{d7b0}-\u{d7fb}]$/u;
/** What does something, turns the direction of writing, cannot be seen, or is nothing that any terminal knows. */
const UNSHOWN =
  /^[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]$|^(?![ \u{3000}])\p{Zs}$/u;
/** East Asian wide and fullwidth, and what is drawn as an emoji; the letters of flags are not, one by one. */
const WIDE =
  /^(?:[\u{1100}-\u{115f}\u{2329}\u{232a}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{a960}-\u{a97f}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe10}-\u{fe19}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|(?![\u{1f1e6}-\u{1f1ff}])\p{Emoji_Presentation})$/u;

function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

const LONGEST_RUN = 4096;

function endOfPlain(text: string, from: number): number {
  const most = Math.min(text.length, from + LONGEST_RUN);
  let at = from;
  while (at < most) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) break;
    at += 1;
  }
  return at;
}

function characterAt(text: string, at: number): string {
  const isPair = (text.codePointAt(at) ?? 0) > 0xffff;
  return isPair ? text.slice(at, at + 2) : text.charAt(at);
}

const KEPT_GLYPHS = new Map<string, Glyph>();
const MAX_KEPT = 10_000;

/** Kept, because to look a character up in Unicode takes longer than all the rest. */
function glyphOf(character: string): Glyph {
  const kept = KEPT_GLYPHS.get(character);
  if (kept !== undefined) return kept;
  if (KEPT_GLYPHS.size >= MAX_KEPT) KEPT_GLYPHS.clear();
  const glyph = makeGlyph(character);
  KEPT_GLYPHS.set(character, glyph);
  return glyph;
}

function makeGlyph(character: string): Glyph {
  if (UNSHOWN.test(character)) return escapeOf(character);
  return { text: character, width: widthOfCharacter(character), isEscape: false };
}

/** `^[` as terminals write it, or the number of the character. */
function escapeOf(character: string): Glyph {
  const code = character.codePointAt(0) ?? 0;
  const caret = code < 0x20 ? String.fromCharCode(code + 0x40) : code === 0x7f ? '?' : undefined;
  const text = caret === undefined ? `<${code.toString(16).toUpperCase().padStart(2, '0')}>` : `^${caret}`;
  return { text, width: text.length, isEscape: true };
}

function widthOfCharacter(character: string): number {
  if (isPlain(character)) return 1;
  return MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}
