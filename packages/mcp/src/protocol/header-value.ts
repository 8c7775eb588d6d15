import { fromBase64, toBase64 } from './base64.ts';

const PREFIX = '=?base64?';
const SUFFIX = '?=';
const PRINTABLE = /^[\x20-\x7e]+$/;
const CANONICAL_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** How a name or an argument is written in a header: as it is where a header can hold it, else as marked Base64. */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = String(value);
  // An empty header may be dropped on its way, and blanks at the ends always are.
  const plain = PRINTABLE.test(text) && text.trim() === text && !isMarked(text);
  return plain ? text : `${PREFIX}${toBase64(text)}${SUFFIX}`;
}

/** The value a header stands for; undefined when it is marked as Base64 and is not. */
export function decodeHeaderValue(header: string): string | undefined {
  if (!isMarked(header)) return header;
  const base64 = header.slice(PREFIX.length, -SUFFIX.length);
  if (!CANONICAL_BASE64.test(base64)) return undefined;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(fromBase64(base64));
  // If bytes were replaced, or unused bits are not zero, encoding the text again gives another value.
  return toBase64(text) === base64 ? text : undefined;
}

function isMarked(text: string): boolean {
  return text.length >= PREFIX.length + SUFFIX.length && text.startsWith(PREFIX) && text.endsWith(SUFFIX);
}

/** The text without spaces and tabs at its ends. A pattern would look at a run of blanks inside it once per blank. */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
