/** The output of one operation on one stream, up to a limit. */
export class OutputText {
  readonly #limit: number;
  #text = '';
  #dropped = 0;
  #isPlain = true;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether it is known to have no control characters but line ends and tabs. */
  get isPlain(): boolean {
    return this.#isPlain;
  }

  append(text: string, isPlain: boolean): void {
    if (text === '') return;
    this.#isPlain &&= isPlain;
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
