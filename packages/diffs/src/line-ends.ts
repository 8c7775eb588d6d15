import { hunksOf } from './hunks.ts';

/**
 * A text in which all lines end with LF, with the line ends of the original: a line that stays keeps its own, and new
 * lines get the one that most lines have.
 */
export function restoreLineEnds(text: string, original: string): string {
  const crlf = original.split('\r\n').length - 1;
  if (crlf === 0) return text;
  const lineFeeds = original.split('\n').length - 1;
  if (crlf === lineFeeds) return text.replaceAll('\n', '\r\n');
  const usual = crlf * 2 > lineFeeds ? '\r\n' : '\n';
  const plain = original.replaceAll('\r\n', '\n');
  const rest = new Original(original);
  let [result, at] = ['', 0];
  for (const { oldOffset, oldText, newText } of hunksOf(plain, text)) {
    result += rest.take(oldOffset - at) + newText.replaceAll('\n', usual);
    rest.take(oldText.length);
    at = oldOffset + oldText.length;
  }
  return result + rest.take(plain.length - at);
}

/** Reads a text by lengths in which CRLF counts as one. */
class Original {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  take(length: number): string {
    const start = this.#at;
    for (let left = length; left > 0; ) {
      const next = this.#text.indexOf('\r\n', this.#at);
      const run = next === -1 ? left : Math.min(left, next - this.#at);
      this.#at += run;
      left -= run;
      if (left === 0) break;
      this.#at += 2;
      left -= 1;
    }
    return this.#text.slice(start, this.#at);
  }
}
