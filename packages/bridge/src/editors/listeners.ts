import type { EditorEvent } from '../editor.ts';

/** The listeners of an editor. One that throws is reported and does not affect the others. */
export class Listeners {
  readonly #listeners = new Set<{ readonly receive: (event: EditorEvent) => void }>();
  readonly #onProblem: (problem: Error) => void;

  constructor(onProblem: (problem: Error) => void) {
    this.#onProblem = onProblem;
  }

  add(receive: (event: EditorEvent) => void): () => void {
    // A new object for each call: a function that subscribed twice can unsubscribe once.
    const listener = { receive };
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  emit(event: EditorEvent): void {
    for (const listener of [...this.#listeners]) {
      // An earlier listener may have removed it.
      if (!this.#listeners.has(listener)) continue;
      try {
        listener.receive(event);
      } catch (error) {
        this.#onProblem(new Error(`A listener failed on a ${event.kind} event`, { cause: error }));
      }
    }
  }
}
