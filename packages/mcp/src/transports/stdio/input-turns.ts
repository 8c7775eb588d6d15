/** How long the input of one peer is handled before other work of the process gets a turn. */
const MAX_TURN_MS = 20;
/** After a longer pause between two chunks, other work has had a turn. */
const PAUSE_MS = 1;

interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/**
 * Pauses an input that keeps the process busy, so that timers and other connections get a turn. Without it, Node reads up
 * to 32 chunks from one stream in a row. It uses `Date.now`, because Node loads `performance` at its first use.
 */
export class InputTurns {
  readonly #input: Pausable;
  #began = 0;
  #ended = 0;
  #busyMs = 0;

  constructor(input: Pausable) {
    this.#input = input;
  }

  /** Call it before a chunk is handled. */
  begin(): void {
    this.#began = Date.now();
    if (this.#began - this.#ended > PAUSE_MS) this.#busyMs = 0;
  }

  /** Call it after a chunk was handled. */
  end(): void {
    this.#ended = Date.now();
    this.#busyMs += this.#ended - this.#began;
    if (this.#busyMs < MAX_TURN_MS) return;
    this.#busyMs = 0;
    this.#input.pause();
    setImmediate(() => this.#input.resume());
  }
}
