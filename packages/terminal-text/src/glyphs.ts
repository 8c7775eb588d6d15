import { eastAsianWidth } from 'get-east-asian-width';

/** A piece of text that a terminal can be given: no character of it does anything but show itself. */
export interface Piece {
  readonly text: string;
  /** It stands for a character that can't be shown as it is. */
  readonly isEscape: boolean;
}

/** What people see as one character, as a terminal shows it. */
export interface Glyph extends Piece {
  /** In columns; 0 for a mark that combines with what stands before it. */
  readonly width: number;
  /** How much of the text it stands for, in UTF-16 code units. */
  readonly length: number;
}

/** The glyph that begins there. An emoji of several characters, such as a family or a flag, is one. */
export function glyphAt(text: string, at: number): Glyph {
  const character = characterAt(text, at);
  const emoji = canContinue(text, at + character.length) ? emojiAt(text, at) : undefined;
  return kept(emoji ?? character);
}

/** The same, as what stands for a character that can't be shown: `^[` as terminals write it, or its number. */
export function escapeAt(text: string, at: number): Glyph {
  return escapeOf(characterAt(text, at));
}

/** Whether a terminal can be given the text as it is. */
export function isPrintable(text: string): boolean {
  return isPlain(text) || !ACTIVE.test(text) || !ACTIVE.test(text.replace(EMOJI, ''));
}

/** Printable ASCII: each character takes one column. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

const PLAIN = /^[\x20-\x7e]*$/;
const ACTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Combine with what stands before them. The vowels and finals of Hangul do that with its initials. */
const MARK = /^(?!\p{Default_Ignorable_Code_Point})[\p{Mn}\p{Me}\u{1160}-\u{11ff}\u{d7b0}-\u{d7fb}]$/u;
/** Control characters, changes of the writing direction, invisible characters, and those that terminals don't have. */
const UNSHOWN =
  /^[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]$|^(?![ \u{3000}])\p{Zs}$/u;

const PICTURE = '(?!\\p{Cn})\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?';
/** Flags, keys, and pictures with a colour of skin, a variation or up to three more that are joined to them. */
const KEY = '[0-9#*]\\ufe0f?\\u20e3';
const SEQUENCE = `\\p{RI}{2}|${KEY}|${PICTURE}(?:\\u200d${PICTURE}){0,3}`;
const EMOJI = new RegExp(SEQUENCE, 'gu');
const ONE_EMOJI = new RegExp(`^(?:${SEQUENCE})$`, 'u');
const FIRST_KEY = new RegExp(`^${KEY}`);
const LONGEST_EMOJI = 32;
/** What may follow the first character of such an emoji. */
const CONTINUES = /^[\u200d\ufe0f\u20e3\p{Emoji_Modifier}\p{RI}]$/u;

let segmenter: Intl.Segmenter | undefined;

function canContinue(text: string, at: number): boolean {
  return at < text.length && text.charCodeAt(at) > 0x7e && CONTINUES.test(characterAt(text, at));
}

function emojiAt(text: string, at: number): string | undefined {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const [first] = segmenter.segment(text.slice(at, at + LONGEST_EMOJI));
  if (first === undefined) return undefined;
  // What follows a key is escaped, and then it is one.
  return ONE_EMOJI.test(first.segment) ? first.segment : FIRST_KEY.exec(first.segment)?.[0];
}

function characterAt(text: string, at: number): string {
  const isPair = (text.codePointAt(at) ?? 0) > 0xffff;
  return isPair ? text.slice(at, at + 2) : text.charAt(at);
}

const KEPT_GLYPHS = new Map<string, Glyph>();
const MAX_KEPT = 10_000;

/** Kept, because to look a character up in Unicode takes longer than all the rest. */
function kept(cluster: string): Glyph {
  const found = KEPT_GLYPHS.get(cluster);
  if (found !== undefined) return found;
  if (KEPT_GLYPHS.size >= MAX_KEPT) KEPT_GLYPHS.clear();
  const glyph = makeGlyph(cluster);
  KEPT_GLYPHS.set(cluster, glyph);
  return glyph;
}

function makeGlyph(cluster: string): Glyph {
  const code = cluster.codePointAt(0) ?? 0;
  const { length } = cluster;
  if (length > String.fromCodePoint(code).length) return { text: cluster, width: 2, isEscape: false, length };
  if (UNSHOWN.test(cluster)) return escapeOf(cluster);
  return { text: cluster, width: MARK.test(cluster) ? 0 : eastAsianWidth(code), isEscape: false, length };
}

function escapeOf(character: string): Glyph {
  const code = character.codePointAt(0) ?? 0;
  const caret = code < 0x20 ? String.fromCharCode(code + 0x40) : code === 0x7f ? '?' : undefined;
  const text = caret === undefined ? `<${code.toString(16).toUpperCase().padStart(2, '0')}>` : `^${caret}`;
  return { text, width: text.length, isEscape: true, length: character.length };
}
