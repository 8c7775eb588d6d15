/** A piece of JSON text, for colours. */
export interface JsonToken {
  readonly kind: 'name' | 'string' | 'number' | 'word' | 'plain';
  readonly text: string;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Splits JSON text into tokens. Together they are the text, also if it is not JSON. */
export function jsonTokens(text: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, number] = match;
    if (match.index > at) tokens.push({ kind: 'plain', text: text.slice(at, match.index) });
    if (string !== undefined) {
      tokens.push({ kind: colon === undefined ? 'string' : 'name', text: string });
      if (colon !== undefined) tokens.push({ kind: 'plain', text: colon });
    } else tokens.push({ kind: number === undefined ? 'word' : 'number', text: whole });
    at = match.index + whole.length;
  }
  if (at < text.length) tokens.push({ kind: 'plain', text: text.slice(at) });
  return tokens;
}
