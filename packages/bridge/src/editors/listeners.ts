import type { EditorEvent } from '../editor.ts';

/** Whoever wants to hear of events. One that throws is reported and harms nobody. */
export class Listeners {
  readonly #listeners = new Set<{ readonly hear: (event: EditorEvent) => void }>();
  readonly #onProblem: (problem: Error) => void;

  constructor(onProblem: (problem: Error) => void) {
    this.#onProblem = onProblem;
  }

  add(hear: (event: EditorEvent) => void): () => void {
    // An object of its own, so that one function that subscribes twice can leave once.
    const listener = { hear };
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(event: EditorEvent): void {
    for (const listener of [...this.#listeners]) {
      // One that an earlier listener has just taken away hears nothing more.
      if (!this.#listeners.has(listener)) continue;
      try {
        listener.hear(event);
      } catch (error) {
        this.#onProblem(new Error(`A listener failed on a ${event.kind} event`, { cause: error }));
      }
    }
  }
}
