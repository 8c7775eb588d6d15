import type { Diagnostic } from '../../../editor.ts';
import { diagnosticsIn, pathOf } from '../../language-answers.ts';

/** Of more files than this a server's diagnostics are not kept. */
const MAX_FILES = 2000;

interface Published {
  readonly at: number;
  readonly version: number | undefined;
}

/** What one server has said about files, on its own or when it was asked. */
export class ServerDiagnostics {
  /** Both kinds together; files without problems are absent. */
  readonly known = new Map<string, readonly Diagnostic[]>();
  readonly #pushed = new Map<string, readonly Diagnostic[]>();
  readonly #pulled = new Map<string, readonly Diagnostic[]>();
  readonly #published = new Map<string, Published>();
  readonly #onChange: (paths: readonly string[]) => void;

  constructor(onChange: (paths: readonly string[]) => void) {
    this.#onChange = onChange;
  }

  /** Takes the parameters of `textDocument/publishDiagnostics`. */
  push(params: unknown): void {
    const { uri, version, diagnostics } = (params ?? {}) as { uri?: unknown; version?: unknown; diagnostics?: unknown };
    const path = pathOf(uri);
    if (path === undefined || (this.#published.size >= MAX_FILES && !this.#published.has(path))) return;
    this.#published.set(path, { at: performance.now(), version: typeof version === 'number' ? version : undefined });
    this.#keep(this.#pushed, path, diagnosticsIn(diagnostics));
  }

  /** Takes the items of an answer to `textDocument/diagnostic`. */
  pull(path: string, items: unknown): void {
    this.#keep(this.#pulled, path, diagnosticsIn(items));
  }

  get hasPublished(): boolean {
    return this.#published.size > 0;
  }

  published(path: string): Published | undefined {
    return this.#published.get(path);
  }

  /** A server that has ended knows nothing. */
  clear(): void {
    const paths = [...this.known.keys()];
    for (const map of [this.known, this.#pushed, this.#pulled, this.#published]) map.clear();
    if (paths.length > 0) this.#onChange(paths);
  }

  #keep(into: Map<string, readonly Diagnostic[]>, path: string, diagnostics: readonly Diagnostic[]): void {
    if (diagnostics.length === 0) into.delete(path);
    else into.set(path, diagnostics);
    const before = this.known.get(path) ?? [];
    const all = new Map(
      [...(this.#pulled.get(path) ?? []), ...(this.#pushed.get(path) ?? [])].map((each) => [
        JSON.stringify(each),
        each,
      ]),
    );
    if (all.size === 0) this.known.delete(path);
    else this.known.set(path, [...all.values()]);
    if (JSON.stringify(before) !== JSON.stringify([...all.values()])) this.#onChange([path]);
  }
}
