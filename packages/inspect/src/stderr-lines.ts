/** A longer line is cut into several. */
const MAX_LINE_CHARS = 16 * 1024;

/** Splits what a server writes to stderr into lines. The last one is passed on when its end arrives. */
export class StderrLines {
  readonly #take: (line: string) => void;
  #unfinished = '';

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  push(text: string): void {
    const lines = (this.#unfinished + text).split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) this.#take(line.replace(/\r$/, ''));
    if (this.#unfinished.length < MAX_LINE_CHARS) return;
    this.#take(this.#unfinished);
    this.#unfinished = '';
  }
}
