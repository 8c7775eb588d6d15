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
const MOST_MARKS = 8;
/** The longest escape, `<10FFFF>`, must fit. */
const NARROWEST = 8;

/** A text without line ends in rows of at most so many columns, at least one row. Nothing of it is left out. */
export function wrap(text: string, columns: number): readonly Pieces[] {
  const rows = new Rows(Math.max(columns, NARROWEST));
  let marks = MOST_MARKS;
  let at = 0;
  while (at < text.length) {
    const end = endOfPlain(text, at);
    if (end > at) {
      rows.addPlain(text.slice(at, end));
      marks = 0;
      at = end;
      continue;
    }
    const character = characterAt(text, at);
    at += character.length;
    if (character === '\t') {
      rows.addTab();
      marks = MOST_MARKS;
      continue;
    }
    const glyph = glyphOf(character);
    if (glyph.width === 0) {
      rows.add(marks < MOST_MARKS ? glyph : escapeOf(character));
      marks += 1;
    } else {
      rows.add(glyph);
      // Nothing combines with an escape.
      marks = glyph.isEscape ? MOST_MARKS : 0;
    }
  }
  return rows.finished();
}

/** On one line, as long as it is. */
export function escaped(text: string): string {
  return wrap(text, Number.POSITIVE_INFINITY)
    .flat()
    .map((piece) => piece.text)
    .join('');
}

/** On one line of at most so many columns; what does not fit gives way to dots. */
export function clip(text: string, columns: number): string {
  if (columns <= 0) return '';
  const whole = escaped(text);
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
  const whole = escaped(text);
  if (widthOf(whole) <= columns) return whole;
  let [kept, width] = ['', 0];
  for (const character of [...whole].reverse()) {
    const next = width + widthOfCharacter(character);
    if (next > columns - 1) break;
    [kept, width] = [character + kept, next];
  }
  return `…${kept}`;
}

/** How many columns a text takes that came from here. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

class Rows {
  readonly #columns: number;
  readonly #rows: Piece[][] = [];
  #row: Piece[] = [];
  #plain = '';
  #width = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  addPlain(run: string): void {
    let rest = run;
    while (rest !== '') {
      if (this.#width >= this.#columns) this.#next();
      const taken = rest.slice(0, this.#columns - this.#width);
      this.#plain += taken;
      this.#width += taken.length;
      rest = rest.slice(taken.length);
    }
  }

  addTab(): void {
    if (this.#width >= this.#columns) this.#next();
    const width = Math.min(TAB - (this.#width % TAB), this.#columns - this.#width);
    this.#plain += ' '.repeat(width);
    this.#width += width;
  }

  add({ text, width, isEscape }: Glyph): void {
    if (this.#width + width > this.#columns) this.#next();
    this.#width += width;
    if (!isEscape) {
      this.#plain += text;
      return;
    }
    this.#flush();
    this.#row.push({ text, isEscape });
  }

  finished(): readonly Pieces[] {
    this.#next();
    return this.#rows;
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

function endOfPlain(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
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
const MOST_KEPT = 10_000;

/** Kept, because to look a character up in Unicode takes longer than all the rest. */
function glyphOf(character: string): Glyph {
  const kept = KEPT_GLYPHS.get(character);
  if (kept !== undefined) return kept;
  if (KEPT_GLYPHS.size >= MOST_KEPT) KEPT_GLYPHS.clear();
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
