/** The output of one operation on one stream, up to a limit. */
export class OutputText {
  readonly #limit: number;
  #text = '';
  #dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  append(text: string): void {
    const kept = cut(text, Math.max(0, this.#limit - this.#text.length));
    this.#text += kept;
    this.#dropped += text.length - kept.length;
  }

  /** Counts characters that the Lisp dropped. */
  drop(count: number): void {
    this.#dropped += count;
  }

  toString(): string {
    if (this.#dropped === 0) return this.#text;
    const length = this.#text.length;
    return `${this.#text}…\n(${length} of ${length + this.#dropped} characters; raise "output" with configure-limits to see more)`;
  }
}

/** The beginning of a text, without half a surrogate pair at its end. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
