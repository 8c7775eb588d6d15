import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EditorEvent, OpenDocument, Range, Selection } from '../../editor.ts';
import type { Encoding } from '../../encoding.ts';
import { MAX_FILE_BYTES } from '../../regular-file.ts';
import type { TemporaryFiles } from '../../temporary-files.ts';
import {
  ChangedOnDisk,
  readTextFile,
  readTextFileIfAny,
  type Stamp,
  type WriteOptions,
  writeTextFile,
} from '../../text-file.ts';
import type { FileWatch } from '../file-watch.ts';
import { languageIdOf } from '../languages.ts';
import { isSameRange, PlacedText, startOfText } from '../placed-text.ts';
import { KeyedQueue } from './keyed-queue.ts';

/** When more is open, the documents that were used least recently are closed, unless they have unsaved text. */
export interface OpenLimits {
  readonly documents: number;
  /** Of all their texts, in UTF-16 code units. */
  readonly characters: number;
}

export interface DocumentsOptions {
  readonly limits: OpenLimits;
  readonly temporaryFiles: TemporaryFiles;
  readonly watch: FileWatch;
  readonly emit: (event: EditorEvent) => void;
  /** A file of an open document holds something else now. */
  readonly onFileChanged: (path: string) => void;
  /** A document was opened or closed, or has another text. */
  readonly onTextChanged: (path: string) => void;
}

/**
 * The open documents, their unsaved text and selections. Work that waits for the disk is queued for each path;
 * all other work is done at once.
 */
export class Documents {
  /** The one that was used least recently first. */
  readonly #documents = new Map<string, TextDocument>();
  /** Paths of documents in use: they stay open. */
  readonly #held = new Map<string, number>();
  /** Work with documents that goes on, which never rejects here. */
  readonly #works = new Set<Promise<void>>();
  readonly #queue = new KeyedQueue();
  readonly #options: DocumentsOptions;
  /** The last one is the active one, the one before it was active before. */
  #shown: TextDocument[] = [];
  #sent: Selection | undefined;

  constructor(options: DocumentsOptions) {
    this.#options = options;
  }

  /** Reads a file, unless it is open already: then a document without unsaved text is brought up to date. */
  open(path: string): Promise<TextDocument> {
    return this.#queue.run(path, async () => {
      const existing = this.#documents.get(path);
      if (existing !== undefined) {
        this.#use(existing);
        await this.#reload(existing).catch(() => undefined);
        return existing;
      }
      return await this.#watched(path, async () => {
        const { text, encoding, stamp } = await readTextFile(path, MAX_FILE_BYTES);
        return this.#add({ path, encoding, stamp, content: new PlacedText(text), savedText: text, range: startOfText });
      });
    });
  }

  /** The unsaved text of a document; of one that is not open, a new one whose file must not exist when it is saved. */
  setText(path: string, text: string, range?: Range): void {
    const content = new PlacedText(text);
    const document = this.#documents.get(path);
    if (document === undefined) {
      const chosen = content.clamp(range ?? startOfText);
      this.#add({ path, encoding: 'utf8', stamp: undefined, content, savedText: undefined, range: chosen });
      return;
    }
    this.#change(document, () => {
      document.content = content;
      document.range = content.clamp(range ?? document.range);
    });
  }

  /** Selects without showing. */
  select(path: string, range: Range): void {
    const document = this.get(path);
    this.#use(document);
    document.range = document.content.clamp(range);
    this.#emitSelection();
  }

  show(path: string): void {
    const document = this.get(path);
    this.#use(document);
    if (this.#shown.at(-1) === document) return;
    this.#shown = [...this.#shown.filter((other) => other !== document), document];
    this.#options.emit({ kind: 'documents' });
    this.#emitSelection();
  }

  selection(): Selection | undefined {
    const document = this.#shown.at(-1);
    if (document === undefined) return undefined;
    return { path: document.path, range: document.range, text: document.content.slice(document.range) };
  }

  has(path: string): boolean {
    return this.#documents.has(path);
  }

  /** All open documents. */
  all(): readonly TextDocument[] {
    return [...this.#documents.values()];
  }

  list(): readonly OpenDocument[] {
    return [...this.#documents.values()].map((document) => this.describe(document));
  }

  describe(document: TextDocument): OpenDocument {
    return {
      path: document.path,
      languageId: languageIdOf(document.path),
      lineCount: document.content.lineCount,
      isActive: this.#shown.at(-1) === document,
      isDirty: isDirty(document),
      isUntitled: document.savedText === undefined,
    };
  }

  get(path: string): TextDocument {
    const document = this.#documents.get(path);
    if (document === undefined) throw new Error(`Not open: ${path}`);
    return document;
  }

  save(path: string): Promise<void> {
    return this.#queue.run(path, async () => {
      const document = this.get(path);
      if (isDirty(document)) await this.#write(document, document.stamp ?? 'nothing');
    });
  }

  /** Replaces the text of a file that contains `expected`; undefined: that does not exist. */
  writeText(path: string, text: string, expected: string | undefined): Promise<void> {
    return this.#queue.run(path, async () => {
      const open = this.#documents.get(path);
      if (open !== undefined && isDirty(open)) throw new Error(`${path} has unsaved text`);
      const found = await readTextFileIfAny(path, MAX_FILE_BYTES);
      if (found?.text !== expected) throw new ChangedOnDisk(`The file has changed: ${path}`);
      if (found === undefined) await mkdir(dirname(path), { recursive: true });
      const { encoding = 'utf8', stamp: replaces = 'nothing' } = found ?? {};
      const { temporaryFiles, onFileChanged } = this.#options;
      await this.#watched(path, async () => {
        const stamp = await writeTextFile(path, text, { encoding, replaces, temporaryFiles });
        const document = this.#documents.get(path);
        // What the user typed meanwhile stays, and saving it will be refused.
        if (document === undefined) {
          this.#add({ path, encoding, stamp, content: new PlacedText(text), savedText: text, range: startOfText });
        } else if (!isDirty(document)) this.#take(document, text, encoding, stamp);
      });
      onFileChanged(path);
      this.#options.emit({ kind: 'saved', path });
    });
  }

  close(path: string): Promise<void> {
    return this.#queue.run(path, async () => {
      const document = this.get(path);
      if (isDirty(document)) throw new Error(`${path} has unsaved text`);
      this.#remove(document);
    });
  }

  /** Looks whether the file of an open document has changed. Unsaved text stays: saving it will be refused. */
  refresh(path: string): void {
    // It may be about to be opened: then it is looked at after that.
    void this.#queue.runOnce(path, 'refresh', async () => {
      const document = this.#documents.get(path);
      // A file that is not there may be on its way: some programs delete before they write.
      if (document !== undefined) await this.#reload(document).catch(() => undefined);
    });
  }

  /** Resolves when nothing is being read or written any more. */
  async settled(): Promise<void> {
    await Promise.all([this.#queue.done(), ...this.#works]);
  }

  /** Keeps a document open while it is in use. */
  async hold<Result>(path: string, work: (document: TextDocument) => Promise<Result>): Promise<Result> {
    const document = this.get(path);
    this.#held.set(path, (this.#held.get(path) ?? 0) + 1);
    const working = work(document);
    const ended = working.then(
      () => undefined,
      () => undefined,
    );
    this.#works.add(ended);
    try {
      return await working;
    } finally {
      this.#works.delete(ended);
      const left = (this.#held.get(path) ?? 1) - 1;
      if (left === 0) this.#held.delete(path);
      else this.#held.set(path, left);
    }
  }

  /** Watches a file before `work` begins, so that no later change is missed, and for as long as its document is open. */
  async #watched<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const { watch } = this.#options;
    await watch.add(path);
    try {
      return await work();
    } finally {
      if (!this.#documents.has(path)) watch.remove(path);
    }
  }

  #add(document: TextDocument): TextDocument {
    this.#documents.set(document.path, document);
    this.#closeUnused(document);
    this.#options.onTextChanged(document.path);
    this.#options.emit({ kind: 'documents' });
    return document;
  }

  #use(document: TextDocument): void {
    if (!this.#documents.delete(document.path)) return;
    this.#documents.set(document.path, document);
  }

  /** Closes what was used least recently until the limits are kept. */
  #closeUnused(added: TextDocument): void {
    const { documents, characters } = this.#options.limits;
    let open = 0;
    for (const { content } of this.#documents.values()) open += content.text.length;
    for (const document of [...this.#documents.values()]) {
      if (this.#documents.size <= documents && open <= characters) return;
      const isNeeded = document === added || document === this.#shown.at(-1) || this.#held.has(document.path);
      if (isNeeded || isDirty(document)) continue;
      open -= document.content.text.length;
      this.#drop(document);
    }
  }

  #drop(document: TextDocument): void {
    this.#documents.delete(document.path);
    this.#shown = this.#shown.filter((other) => other !== document);
    this.#options.watch.remove(document.path);
    this.#options.onTextChanged(document.path);
  }

  #remove(document: TextDocument): void {
    this.#drop(document);
    this.#options.emit({ kind: 'documents' });
    this.#emitSelection();
  }

  async #reload(document: TextDocument): Promise<void> {
    if (document.stamp === undefined) return;
    const { text, encoding, stamp } = await readTextFile(document.path, MAX_FILE_BYTES);
    if (stamp.hash === document.seenHash || stamp.hash === document.stamp.hash) return;
    document.seenHash = stamp.hash;
    // Checked after the wait: the user may have typed meanwhile.
    if (!isDirty(document)) this.#take(document, text, encoding, stamp);
    this.#options.onFileChanged(document.path);
  }

  #take(document: TextDocument, text: string, encoding: Encoding, stamp: Stamp): void {
    this.#change(document, () => {
      document.content = new PlacedText(text);
      document.range = document.content.clamp(document.range);
      document.savedText = text;
      document.encoding = encoding;
      document.stamp = stamp;
    });
  }

  async #write(document: TextDocument, replaces: WriteOptions['replaces']): Promise<void> {
    const { text } = document.content;
    const { temporaryFiles, watch } = this.#options;
    await watch.add(document.path);
    const stamp = await writeTextFile(document.path, text, { encoding: document.encoding, replaces, temporaryFiles });
    this.#change(document, () => {
      document.savedText = text;
      document.stamp = stamp;
    });
    this.#options.onFileChanged(document.path);
    this.#options.emit({ kind: 'saved', path: document.path });
  }

  #change(document: TextDocument, change: () => void): void {
    const [wasDirty, content] = [isDirty(document), document.content];
    change();
    if (document.content !== content) this.#options.onTextChanged(document.path);
    if (isDirty(document) !== wasDirty) this.#options.emit({ kind: 'documents' });
    this.#emitSelection();
  }

  #emitSelection(): void {
    const selection = this.selection();
    if (isSameSelection(selection, this.#sent)) return;
    this.#sent = selection;
    this.#options.emit({ kind: 'selection', selection });
  }
}

export interface TextDocument {
  readonly path: string;
  encoding: Encoding;
  /** What the file held when it was read or written last; undefined before there is one. */
  stamp: Stamp | undefined;
  content: PlacedText;
  /** Undefined when there never was a file. */
  savedText: string | undefined;
  range: Range;
  /** The last content of another program that was reported. */
  seenHash?: string;
}

export function isDirty({ content, savedText }: TextDocument): boolean {
  return content.text !== savedText;
}

function isSameSelection(one: Selection | undefined, other: Selection | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.path === other.path && one.text === other.text && isSameRange(one.range, other.range);
}
