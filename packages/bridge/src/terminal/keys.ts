import { type MouseEvent, mouseEventOf } from './mouse.ts';

/** A key: a character, or the name of one that has none. */
export type Key = string;

/** What a terminal sends. */
export interface InputListener {
  key(key: Key): void;
  /** Text that was pasted, which was not meant as keys. The end of a very long one is cut off. */
  paste(text: string): void;
  mouse(event: MouseEvent): void;
}

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
  '\x1b[3~': 'delete',
  '\x1b[4~': 'end',
  '\x1b[5~': 'page up',
  '\x1b[6~': 'page down',
  '\x1b[Z': 'shift tab',
  '\x1b[1;2A': 'shift up',
  '\x1b[1;2B': 'shift down',
  '\t': 'tab',
  '\r': 'enter',
  '\n': 'enter',
  '\b': 'backspace',
  '\x7f': 'backspace',
};

const PASTE_BEGINS = '\x1b[200~';
const PASTE_ENDS = '\x1b[201~';
const MAX_PASTED = 64 * 1024;
/** An answer: `ESC ] 11 ; rgb:… ESC \\`, or with a bell at its end. */
const REPLY = String.raw`\]\d{1,3};[^\x07\x1b]{0,100}`;
const ONE_KEY = new RegExp(
  [
    String.raw`\x1b\[[0-?]*[ -/]*[@-~]`,
    String.raw`\x1bO[@-~]`,
    String.raw`\x1b${REPLY}(?:\x07|\x1b\\)`,
    // With Alt, unless it may be the beginning of an answer.
    String.raw`\x1b(?!\]\d{0,3}$|${REPLY}\x1b?$)[^[O]`,
    String.raw`[^\x1b]`,
  ]
    .map((each) => `^(?:${each})`)
    .join('|'),
  'su',
);
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]$/u;
/** How long the rest of a sequence may take. */
const ESCAPE_MS = 50;
/** The same for what a terminal answers to a question: a part of it must not be taken for keys. */
const REPLY_MS = 1000;
const REPLY_BEGINS = '\x1b]';

export interface KeyReaderListener extends InputListener {
  /** A sequence that is neither a key nor the mouse, such as the answer of the terminal to a question. */
  reply(sequence: string): void;
}

/** Reads keys, pasted texts and the mouse from what a terminal sends. */
export class KeyReader {
  readonly #listener: KeyReaderListener;
  #rest = '';
  /** What has been pasted so far; undefined while nothing is. */
  #pasted: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(listener: KeyReaderListener) {
    this.#listener = listener;
  }

  push(text: string): void {
    clearTimeout(this.#timer);
    this.#rest += text;
    while (this.#rest !== '' && this.#take()) {}
    if (this.#rest === '' || this.#pasted !== undefined) return;
    const waitMs = this.#rest.startsWith(REPLY_BEGINS) ? REPLY_MS : ESCAPE_MS;
    this.#timer = setTimeout(() => {
      const isAlone = this.#rest === '\x1b';
      this.#rest = '';
      if (isAlone) this.#listener.key('escape');
    }, waitMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#rest = '';
  }

  /** False when more must come first. */
  #take(): boolean {
    if (this.#pasted !== undefined) return this.#takePasted(this.#pasted);
    const [sequence] = ONE_KEY.exec(this.#rest) ?? [];
    if (sequence === undefined) return false;
    this.#rest = this.#rest.slice(sequence.length);
    const [key, mouse] = [keyOf(sequence), mouseEventOf(sequence)];
    if (sequence === PASTE_BEGINS) this.#pasted = '';
    else if (key !== undefined) this.#listener.key(key);
    else if (mouse !== undefined) this.#listener.mouse(mouse);
    else this.#listener.reply(sequence);
    return true;
  }

  #takePasted(before: string): boolean {
    const end = this.#rest.indexOf(PASTE_ENDS);
    // Without its end, or with a part of it.
    const taken = end === -1 ? this.#rest.slice(0, -PASTE_ENDS.length + 1) : this.#rest.slice(0, end);
    const pasted = (before + taken).slice(0, MAX_PASTED);
    this.#rest = this.#rest.slice(taken.length + (end === -1 ? 0 : PASTE_ENDS.length));
    this.#pasted = end === -1 ? pasted : undefined;
    if (end !== -1) this.#listener.paste(pasted);
    return end !== -1;
  }
}

function keyOf(sequence: string): Key | undefined {
  if (Object.hasOwn(NAMES, sequence)) return NAMES[sequence];
  const code = sequence.codePointAt(0) ?? 0;
  if (code >= 1 && code <= 26) return `ctrl ${String.fromCharCode(code + 0x60)}`;
  return PRINTABLE.test(sequence) ? sequence : undefined;
}
