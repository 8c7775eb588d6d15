/** A sequence of constituent characters. */
export interface Token {
  /** Without escape characters, letters raised unless escaped. */
  readonly name: string;
  /** Whether an escape character occurred, which makes any token a symbol. */
  readonly escaped: boolean;
  readonly type: 'integer' | 'ratio' | 'float' | 'symbol';
  /** Where in `name` unescaped colons stand. */
  readonly colons: readonly number[];
  /** Whether it ends with a colon, so that the name after it is empty. */
  readonly nameless: boolean;
  /** Unescaped characters that no token may contain. */
  readonly invalid: string | undefined;
  readonly end: number;
}

export type UnfinishedToken = { readonly unfinished: 'bars' | 'backslash' };

const WHITESPACE = new Set([' ', '\n', '\t', '\f', '\r']);
const TERMINATING = new Set(['"', "'", '(', ')', ',', ';', '`']);

export function isWhitespace(character: string): boolean {
  return WHITESPACE.has(character);
}

/** Reads the token that begins at an offset. `literally`: its first character is taken as it is, whatever it is. */
export function readToken(
  text: string,
  start: number,
  first: 'literally' | 'usual' = 'usual',
): Token | UnfinishedToken {
  let name = '';
  let escaped = first === 'literally';
  let invalid: string | undefined;
  let nameless = false;
  const colons: number[] = [];
  let at = start;
  if (first === 'literally') {
    name = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += name.length;
  }
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') {
      at += 1;
      if (at >= text.length) return { unfinished: 'backslash' };
      escaped = true;
      nameless = false;
      name += text.charAt(at);
    } else if (character === '|') {
      const closing = closingBar(text, at + 1);
      if (closing === undefined) return { unfinished: 'bars' };
      escaped = true;
      nameless = false;
      name += text.slice(at + 1, closing).replace(/\\(.)/gs, '$1');
      at = closing;
    } else if (WHITESPACE.has(character) || TERMINATING.has(character)) break;
    else {
      nameless = character === ':';
      if (nameless) colons.push(name.length);
      if (character === '\b' || character === '\x7f') invalid ??= character;
      name += first === 'literally' ? character : character.toUpperCase();
    }
  }
  return { name, escaped, colons, nameless, invalid, end: at, type: typeOf(name, escaped || colons.length > 0) };
}

function closingBar(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '|') return at;
    if (character === '\\') at += 1;
  }
  return undefined;
}

const INTEGER = /^[+-]?\d+\.?$/;
const RATIO = /^[+-]?\d+\/\d+$/;
const FLOAT = /^[+-]?(?:\d*\.\d+(?:[ESFDL][+-]?\d+)?|\d+(?:\.\d*)?[ESFDL][+-]?\d+)$/;

function typeOf(name: string, isSymbol: boolean): Token['type'] {
  if (isSymbol) return 'symbol';
  if (INTEGER.test(name)) return 'integer';
  if (RATIO.test(name)) return 'ratio';
  return FLOAT.test(name) ? 'float' : 'symbol';
}

/** What is wrong with a token that is a complete object. */
export function tokenFlaw(token: Token): string | undefined {
  const { name, escaped, type } = token;
  if (token.invalid !== undefined) {
    const which = token.invalid === '\b' ? 'Backspace' : 'Rubout';
    return `The character ${which} may not stand in a symbol; escape it with \\`;
  }
  if (type === 'ratio' && /\/0+$/.test(name)) return `${name} has the denominator 0`;
  if (type === 'float' && isTooLarge(name)) return `${name} is too large for its type of float`;
  if (!escaped && /^\.+$/.test(name)) {
    return name === '.' ? 'A dot stands where an object is wanted' : `${name} is no symbol: it consists of dots alone`;
  }
  return colonFlaw(token);
}

function colonFlaw({ name, colons }: Token): string | undefined {
  const first = colons[0];
  const last = colons.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (colons.length > 2 || last - first > 1) return `${name} has too many colons: write package:name or package::name`;
  return undefined;
}

function isTooLarge(name: string): boolean {
  const value = Number(name.replace(/[SFDL]/, 'e'));
  return !Number.isFinite(/[DL]/.test(name) ? value : Math.fround(value));
}

/** What is wrong with a token as a rational number in a radix. */
export function radixFlaw({ name, escaped, type }: Token, radix: number): string | undefined {
  if (escaped) return `an escaped name is no number`;
  // With a point at its end an integer is decimal in any radix.
  if (type === 'integer' && name.endsWith('.')) return undefined;
  const digit = radix <= 10 ? `[0-${radix - 1}]` : `[0-9A-${String.fromCharCode(54 + radix)}]`;
  const [matched, denominator] = new RegExp(`^[+-]?${digit}+(?:/(${digit}+))?$`).exec(name) ?? [];
  if (matched === undefined) return `${name} is no rational number in base ${radix}`;
  return denominator !== undefined && /^0+$/.test(denominator) ? `${name} has the denominator 0` : undefined;
}
