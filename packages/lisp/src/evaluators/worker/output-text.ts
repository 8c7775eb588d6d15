/** One output stream of one operation, kept up to a limit. */
export class OutputText {
  readonly #limit: number;
  #text = '';
  #dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  append(text: string): void {
    if (text === '') return;
    const kept = text.slice(0, Math.max(0, this.#limit - this.#text.length));
    this.#text += kept;
    this.#dropped += text.length - kept.length;
  }

  /** Counts characters that were dropped before they came here. */
  drop(count: number): void {
    this.#dropped += count;
  }

  toString(): string {
    return this.#dropped === 0 ? this.#text : `${this.#text}… (${this.#dropped} more characters)`;
  }
}
