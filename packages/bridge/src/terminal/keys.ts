/** A key: a character, or the name of one that has none. */
export type Key = string;

const NAMES: { readonly [sequence: string]: Key } = {
  '\x1b[A': 'up',
  '\x1b[B': 'down',
  '\x1b[C': 'right',
  '\x1b[D': 'left',
  '\x1bOA': 'up',
  '\x1bOB': 'down',
  '\x1bOC': 'right',
  '\x1bOD': 'left',
  '\x1b[H': 'home',
  '\x1b[F': 'end',
  '\x1bOH': 'home',
  '\x1bOF': 'end',
  '\x1b[1~': 'home',
  '\x1b[4~': 'end',
  '\x1b[5~': 'page up',
  '\x1b[6~': 'page down',
  '\x1b[Z': 'shift tab',
  '\t': 'tab',
  '\r': 'enter',
  '\n': 'enter',
  '\x03': 'ctrl c',
  '\x04': 'ctrl d',
  '\x0c': 'ctrl l',
  '\x15': 'ctrl u',
  '\x1a': 'ctrl z',
};

const PASTE_BEGINS = '\x1b[200~';
const PASTE_ENDS = '\x1b[201~';
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters
const ONE_KEY = /^(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[@-~]|\x1b[^[O]|[^\x1b])/su;
/** How long the rest of a sequence may take. */
const ESCAPE_MS = 50;

/** Reads keys from what a terminal sends. Skips pasted text, which was not meant as commands. */
export class KeyReader {
  readonly #pressed: (key: Key) => void;
  #rest = '';
  #isPasting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(pressed: (key: Key) => void) {
    this.#pressed = pressed;
  }

  push(text: string): void {
    clearTimeout(this.#timer);
    this.#rest += text;
    while (this.#rest !== '' && this.#take()) {}
    if (this.#rest === '' || this.#isPasting) return;
    this.#timer = setTimeout(() => {
      const isAlone = this.#rest === '\x1b';
      this.#rest = '';
      if (isAlone) this.#pressed('escape');
    }, ESCAPE_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#rest = '';
  }

  /** False when more must come first. */
  #take(): boolean {
    if (this.#isPasting) return this.#skipPasted();
    const [sequence] = ONE_KEY.exec(this.#rest) ?? [];
    if (sequence === undefined) return false;
    this.#rest = this.#rest.slice(sequence.length);
    if (sequence === PASTE_BEGINS) this.#isPasting = true;
    else if (Object.hasOwn(NAMES, sequence)) this.#pressed(NAMES[sequence] ?? '');
    else if (/^[\x20-\x7e]$/.test(sequence)) this.#pressed(sequence);
    return true;
  }

  #skipPasted(): boolean {
    const end = this.#rest.indexOf(PASTE_ENDS);
    if (end === -1) {
      // Its end may be here in part.
      this.#rest = this.#rest.slice(-PASTE_ENDS.length + 1);
      return false;
    }
    this.#isPasting = false;
    this.#rest = this.#rest.slice(end + PASTE_ENDS.length);
    return true;
  }
}
