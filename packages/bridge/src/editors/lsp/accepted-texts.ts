import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ParamsOf } from '@hawser/editor-protocol';
import type { Peer } from '@hawser/mcp';
import { isObject } from '@hawser/unknown-values/objects';
import { MAX_FILE_BYTES } from '../../regular-file.ts';
import type { TemporaryFiles } from '../../temporary-files.ts';
import { readTextFileIfAny, writeTextFile } from '../../text-file.ts';
import { pathOf } from '../language-answers.ts';
import { isDirty, type OpenText, type OpenTexts } from './open-texts.ts';
import { isSameText, lineEdit, shownAfter } from './text-change.ts';

export interface AcceptedTextsOptions {
  readonly client: Peer;
  readonly texts: OpenTexts;
  readonly temporaryFiles: TemporaryFiles;
  /** How the client takes edits; undefined: not at all. */
  readonly edits: 'versioned' | 'plain' | undefined;
}

/** How long a client may take to apply an edit, about which some ask their user, and then to say that its text has changed. */
const APPLY_MS = 50_000;
const CHANGE_MS = 2000;

/**
 * Writes texts that the user has accepted. A server can't make a client save. So a document that is open is edited first,
 * which the user can undo, and then its file is written; of one that is not open the file alone.
 */
export class AcceptedTexts {
  readonly #options: AcceptedTextsOptions;
  readonly #expected = new Map<OpenText, string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AcceptedTextsOptions) {
    this.#options = options;
  }

  /** What the document is being changed to. */
  expectedOf(document: OpenText | undefined): string | undefined {
    return document && this.#expected.get(document);
  }

  /** One after the other. Rejects, and changes nothing, if the document has unsaved text or the file is not as expected. */
  write(given: ParamsOf<'editor/writeText'>): Promise<string> {
    const written = this.#last.then(() => this.#write(given));
    this.#last = written.catch(() => undefined);
    return written;
  }

  async #write({ uri, text = '', expected, isNewFile }: ParamsOf<'editor/writeText'>): Promise<string> {
    const { texts, temporaryFiles } = this.#options;
    const path = pathOf(uri);
    if (path === undefined) throw new Error(`Not a file: ${uri}`);
    const found = await readTextFileIfAny(path, MAX_FILE_BYTES);
    const document = texts.at(path);
    if (document !== undefined && isDirty(document)) throw new Error(`${path} has unsaved text`);
    if (found?.text !== (isNewFile ? undefined : (expected ?? ''))) {
      throw new Error(`The file has changed: ${path}`);
    }
    const shown = document?.content.text ?? '';
    const target = document && shownAfter(shown, found?.text ?? '', text);
    const isApplied = document !== undefined && target !== undefined && (await this.#apply(document, target, path));
    try {
      if (found === undefined) await mkdir(dirname(path), { recursive: true });
      const { encoding = 'utf8', stamp: replaces = 'nothing' } = found ?? {};
      await writeTextFile(path, text, { encoding, replaces, temporaryFiles });
    } catch (error) {
      if (isApplied && isSameText(document.content.text, target)) await this.#apply(document, shown, path);
      throw error;
    }
    return path;
  }

  /** False if the client does not do it; then its user sees the change when the client reads the file again. */
  async #apply(document: OpenText, target: string, path: string): Promise<boolean> {
    const { client, texts, edits } = this.#options;
    const { uri, version, content } = document;
    if (edits === undefined || content.text === target) return false;
    const list = [lineEdit(content.text, target)];
    const edit =
      edits === 'versioned'
        ? { documentChanges: [{ textDocument: { uri, version }, edits: list }] }
        : { changes: { [uri]: list } };
    this.#expected.set(document, target);
    try {
      const answer = await client
        .request('workspace/applyEdit', { label: 'Hawser', edit }, { timeout: APPLY_MS })
        .catch(() => undefined);
      if (!isObject(answer) || answer.applied !== true) {
        if (isDirty(document)) throw new Error(`${path} has unsaved text`);
        return false;
      }
      await texts.until(() => isSameText(document.content.text, target) || texts.get(uri) !== document, CHANGE_MS);
      return true;
    } finally {
      this.#expected.delete(document);
    }
  }
}
