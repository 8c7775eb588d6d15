import { realpathSync } from 'node:fs';
import type { ParamsOf } from '@hawser/editor-protocol';
import type { Range } from '../../editor.ts';
import { MAX_FILE_BYTES } from '../../regular-file.ts';
import { readTextFileIfAny } from '../../text-file.ts';
import { pathOf, uriOf } from '../language-answers.ts';
import { PlacedText, startOfText } from '../placed-text.ts';
import { isSameText } from './text-change.ts';

/** A document that an LSP client has opened. */
export interface OpenText {
  /** As the client writes it. */
  readonly uri: string;
  /** With its links resolved; undefined for a text without a file. */
  readonly path: string | undefined;
  readonly languageId: string | undefined;
  version: number;
  content: PlacedText;
  /** Its text when it was last the same as the file; undefined if it never was. */
  savedText: string | undefined;
  range: Range;
  /** Resolves when it was compared with its file. */
  compared: Promise<void>;
}

const UNKNOWN = { text: '' };
const MAX_DOCUMENTS = 1000;
const MAX_CHARACTERS = 256 * 1024 * 1024;

/** What an LSP client has open, and where its user is, as far as the client says. */
export class OpenTexts {
  readonly #documents = new Map<string, OpenText>();
  /** The active one is the last. */
  #used: OpenText[] = [];
  readonly #onChange: () => void;
  #waiting: (() => void)[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** False if there is no room for it. */
  open(
    { uri, languageId, version, text }: { uri: string; languageId?: string | undefined; version: number; text: string },
    how: 'active' | 'background',
  ): boolean {
    let characters = text.length;
    for (const { content } of this.#documents.values()) characters += content.text.length;
    if (this.#documents.size >= MAX_DOCUMENTS || characters > MAX_CHARACTERS) return false;
    const document: OpenText = {
      uri,
      path: realPathOf(uri),
      languageId,
      version,
      content: new PlacedText(text),
      savedText: text,
      range: startOfText,
      compared: Promise.resolve(),
    };
    this.#documents.set(uri, document);
    if (how === 'active') this.#used.push(document);
    document.compared = this.#compareWithFile(document);
    this.#changed();
    return true;
  }

  /** The client has another text. `expected` is what an agent's change makes of it: not unsaved, and not where the user works. */
  change(uri: string, version: number, text: string, expected: string | undefined): void {
    const document = this.#documents.get(uri);
    if (document === undefined) return;
    const before = document.content.text;
    document.version = version;
    document.content = new PlacedText(text);
    if (expected !== undefined && isSameText(text, expected)) {
      document.savedText = text;
      document.range = document.content.clamp(document.range);
    } else {
      const cursor = document.content.positionAt(endOfChange(before, text));
      document.range = { start: cursor, end: cursor };
      this.#use(document);
      if (text !== document.savedText) document.compared = this.#compareWithFile(document);
    }
    this.#changed();
  }

  saved(uri: string): OpenText | undefined {
    const document = this.#documents.get(uri);
    if (document === undefined) return undefined;
    document.savedText = document.content.text;
    this.#changed();
    return document;
  }

  close(uri: string): void {
    const document = this.#documents.get(uri);
    if (document === undefined) return;
    this.#documents.delete(uri);
    this.#used = this.#used.filter((each) => each !== document);
    this.#changed();
  }

  /** The user, or who acts for the user, is there. Without a range the place is as before. */
  select(document: OpenText, range: Range = document.range): void {
    document.range = document.content.clamp(range);
    this.#use(document);
    this.#changed();
  }

  get(uri: unknown): OpenText | undefined {
    return typeof uri === 'string' ? this.#documents.get(uri) : undefined;
  }

  at(path: string): OpenText | undefined {
    const real = realPath(path);
    return [...this.#documents.values()].find((each) => each.path === real);
  }

  /** Resolves when the condition is true, or after some time, with whether it is. */
  async until(condition: () => boolean, ms: number): Promise<boolean> {
    const deadline = AbortSignal.timeout(ms);
    while (!condition()) {
      if (deadline.aborted) return false;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        deadline.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    return true;
  }

  /** What the bridge is told. */
  state(): { documents: ParamsOf<'editor/didChangeDocuments'>; selection: ParamsOf<'editor/didChangeSelection'> } {
    const active = this.#used.at(-1);
    const documents = [...this.#documents.values()].flatMap((document) => {
      const uri = bridgeUriOf(document);
      if (uri === undefined) return [];
      const { content, languageId } = document;
      return {
        uri,
        lineCount: content.lineCount,
        isActive: document === active,
        isDirty: isDirty(document),
        ...(document.path === undefined && { isUntitled: true }),
        ...(languageId !== undefined && { languageId }),
      };
    });
    const uri = active && bridgeUriOf(active);
    if (active === undefined || uri === undefined) return { documents: { documents }, selection: {} };
    return {
      documents: { documents },
      selection: { uri, range: active.range, text: active.content.slice(active.range) },
    };
  }

  #use(document: OpenText): void {
    this.#used = [...this.#used.filter((each) => each !== document), document];
  }

  #changed(): void {
    this.#onChange();
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** An editor reads its file again without saying so: a text that is in the file is not unsaved. */
  async #compareWithFile(document: OpenText): Promise<void> {
    const { content, path } = document;
    // Of one that can't be read nothing is known: the text counts as unsaved.
    const file = path === undefined ? undefined : await readTextFileIfAny(path, MAX_FILE_BYTES).catch(() => UNKNOWN);
    if (document.content !== content) return;
    const before = document.savedText;
    if (file !== UNKNOWN && isSameText(content.text, file?.text ?? '')) document.savedText = content.text;
    // It was opened with a text that its file does not have.
    else if (before === content.text) document.savedText = undefined;
    if (document.savedText !== before) this.#changed();
  }
}

export function isDirty({ content, savedText }: OpenText): boolean {
  return content.text !== savedText;
}

/** The path that a URI of a client leads to. */
export function realPathOf(uri: unknown): string | undefined {
  const path = pathOf(uri);
  return path === undefined ? undefined : realPath(path);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function bridgeUriOf({ path, uri }: OpenText): string | undefined {
  if (path !== undefined) return uriOf(path);
  return uri.startsWith('untitled:') ? uri : undefined;
}

function endOfChange(before: string, after: string): number {
  let [same, last] = [0, after.length];
  while (same < last && before[same] === after[same]) same += 1;
  let old = before.length;
  while (last > same && old > same && before[old - 1] === after[last - 1]) {
    last -= 1;
    old -= 1;
  }
  return last;
}
