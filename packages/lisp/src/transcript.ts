/** One call of a session as the transcript keeps it. */
export interface TranscriptEntry {
  /** The number of the call; places of definitions name it. */
  readonly call: number | undefined;
  readonly tool: string;
  /** The arguments as the caller gave them. */
  readonly input: () => string;
  /** The answer as the caller got it. */
  readonly answer: string;
  /** Everything the call wrote and every warning, also what the answer leaves out. */
  readonly output: () => string;
  /** About how many characters it keeps. */
  readonly length: number;
}

const MAX_ENTRIES = 200;
const MAX_CHARACTERS = 2_000_000;

/** The last calls of a session. The oldest are dropped when there are too many or they grow too long. */
export class Transcript {
  readonly #entries: TranscriptEntry[] = [];
  #characters = 0;
  #dropped = 0;

  add(entry: TranscriptEntry): void {
    this.#entries.push(entry);
    this.#characters += entry.length;
    while (this.#entries.length > MAX_ENTRIES || (this.#characters > MAX_CHARACTERS && this.#entries.length > 1)) {
      const oldest = this.#entries.shift();
      if (oldest !== undefined) this.#characters -= oldest.length;
      this.#dropped += 1;
    }
  }

  /** All of the last call's output. */
  get lastOutput(): string {
    return this.#entries.at(-1)?.output() ?? '';
  }

  toString(): string {
    const kept = this.#entries.length;
    const cut = this.#dropped === 0 ? [] : [`; The last ${kept} of ${kept + this.#dropped} calls`];
    const entries = this.#entries.map(({ call, tool, input, answer }) =>
      [`; call ${call ?? '?'}: ${tool}`, input(), answer].join('\n'),
    );
    return [...cut, ...entries].join('\n\n');
  }
}
