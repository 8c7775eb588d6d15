import type { RangesByLine } from '@hawser/diffs/code-chunks';
import type { ScopeRange } from '@hawser/diffs/scope-ranges';

/** To the worker that finds out what the parts of code are. */
export type ScopesRequest =
  | { readonly kind: 'open'; readonly text: number; readonly path: string; readonly code: string }
  | { readonly kind: 'lines'; readonly text: number; readonly line: number }
  | { readonly kind: 'close'; readonly text: number };

/** The parts of some lines. */
export interface ScopesAnswer {
  readonly text: number;
  readonly ranges: RangesByLine<ScopeRange>;
}

/** Lines that are asked for at once. */
const ASKED_LINES = 32;
let lastText = 0;

/** What the parts of a text are, found in a worker when lines are first asked for. */
export class CodeScopes {
  readonly #worker: Worker;
  readonly #text: number;
  readonly #known = new Map<number, readonly ScopeRange[]>();
  readonly #asked = new Set<number>();
  readonly #receive: (event: MessageEvent<ScopesAnswer>) => void;

  constructor(worker: Worker, source: { readonly path: string; readonly code: string }, onReady: () => void) {
    this.#worker = worker;
    lastText += 1;
    this.#text = lastText;
    this.#receive = ({ data }) => {
      if (data.text !== this.#text) return;
      for (const [line, ranges] of data.ranges) this.#known.set(line, ranges);
      onReady();
    };
    worker.addEventListener('message', this.#receive);
    this.#send({ kind: 'open', text: this.#text, ...source });
  }

  /** None until they are known. */
  of(line: number): readonly ScopeRange[] {
    const part = Math.floor(line / ASKED_LINES);
    if (!this.#asked.has(part)) {
      this.#asked.add(part);
      this.#send({ kind: 'lines', text: this.#text, line: part * ASKED_LINES });
      this.#send({ kind: 'lines', text: this.#text, line: (part + 1) * ASKED_LINES - 1 });
    }
    return this.#known.get(line) ?? [];
  }

  close(): void {
    this.#worker.removeEventListener('message', this.#receive);
    this.#send({ kind: 'close', text: this.#text });
  }

  #send(request: ScopesRequest): void {
    this.#worker.postMessage(request);
  }
}
