import { uriOf } from '../../language-answers.ts';
import type { SourceText } from './diagnostics-source.ts';

/** More open documents than this are closed at the server, the least recently used first. */
const MAX_DOCUMENTS = 128;
const MAX_CHARACTERS = 8 * 1024 * 1024;

export interface SyncedDocument {
  readonly version: number;
  /** Counts what was sent to the server. */
  readonly sentAt: number;
}

interface Entry extends SyncedDocument {
  readonly text: string;
  readonly isSaved: boolean;
}

/** The documents that a language server has open, and their text. */
export class SyncedDocuments {
  readonly #entries = new Map<string, Entry>();
  readonly #send: (method: string, params: object) => void;

  constructor(send: (method: string, params: object) => void) {
    this.#send = send;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** Sends the text unless the server has it. */
  sync({ path, languageId, text, isSaved }: SourceText): SyncedDocument {
    if (text.length > MAX_CHARACTERS) throw new Error(`It is too large for a language server: ${path}`);
    const uri = uriOf(path);
    const known = this.#entries.get(path);
    this.#entries.delete(path);
    const isSame = known?.text === text && known.isSaved === isSaved;
    const entry = isSame ? known : { version: (known?.version ?? 0) + 1, text, isSaved, sentAt: performance.now() };
    this.#entries.set(path, entry);
    if (isSame) return entry;
    if (known === undefined) {
      this.#send('textDocument/didOpen', { textDocument: { uri, languageId, version: entry.version, text } });
      this.#closeUnused();
      return entry;
    }
    // A change without a range is the whole text, for servers of either kind.
    const textDocument = { uri, version: entry.version };
    this.#send('textDocument/didChange', { textDocument, contentChanges: [{ text }] });
    // Some servers check on saving only.
    if (isSaved) this.#send('textDocument/didSave', { textDocument: { uri }, text });
    return entry;
  }

  close(path: string): void {
    if (!this.#entries.delete(path)) return;
    this.#send('textDocument/didClose', { textDocument: { uri: uriOf(path) } });
  }

  #closeUnused(): void {
    for (const path of [...this.#entries.keys()]) {
      if (this.#entries.size <= MAX_DOCUMENTS) return;
      this.close(path);
    }
  }
}
