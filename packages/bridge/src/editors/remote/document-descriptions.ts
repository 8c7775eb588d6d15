import { realpath, stat } from 'node:fs/promises';
import type { Document } from '@hawser/editor-protocol';
import type { OpenDocument } from '../../editor.ts';
import { readRegularFile } from '../../regular-file.ts';
import { pathOf } from '../language-answers.ts';
import { languageIdOf } from '../languages.ts';

/** Larger files are not read only to count their lines. */
const MAX_COUNTED_BYTES = 8 * 1024 * 1024;

type Counted = Map<string, { readonly stamp: string; readonly lines: number }>;

/** Documents as the contract has them. What the editor leaves out is looked up on disk, here and not there. */
export class DocumentDescriptions {
  /** The lines of files, for as long as they stay the same. */
  #counted: Counted = new Map();

  async of(documents: readonly Document[]): Promise<OpenDocument[]> {
    const before = this.#counted;
    this.#counted = new Map();
    const described = await Promise.all(documents.map((document) => this.#describe(document, before)));
    return described.filter((document) => document !== undefined);
  }

  /** Undefined for a directory, and for what is neither a file nor untitled. */
  async #describe(document: Document, before: Counted): Promise<OpenDocument | undefined> {
    const name = nameOf(document.uri);
    if (name === undefined) return undefined;
    const isUntitled = document.isUntitled === true || pathOf(document.uri) === undefined;
    const counted =
      document.lineCount !== undefined || isUntitled
        ? { path: name, lines: document.lineCount ?? 0 }
        : await this.#lookUp(name, before);
    if (counted === undefined) return undefined;
    const { path, lines } = counted;
    return {
      path,
      languageId: document.languageId ?? languageIdOf(path),
      lineCount: lines,
      isActive: document.isActive === true,
      isDirty: document.isDirty === true,
      isUntitled,
    };
  }

  async #lookUp(name: string, before: Counted): Promise<{ path: string; lines: number } | undefined> {
    const path = await realpath(name).catch(() => name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return undefined;
    const stamp = `${found?.mtimeMs} ${found?.size} ${found?.ino}`;
    const known = before.get(path);
    const lines = known?.stamp === stamp ? known.lines : await lineCountOf(path);
    this.#counted.set(path, { stamp, lines });
    return { path, lines };
  }
}

/** The lines of a file on disk, with the empty one after a final line end; 0 if it can't be read or is very large. */
async function lineCountOf(path: string): Promise<number> {
  return await readRegularFile(path, MAX_COUNTED_BYTES).then(
    (bytes) => bytes.toString('utf8').split(/\r\n|\n/).length,
    () => 0,
  );
}

/** The path of a file, or the name of a text without one. */
export function nameOf(uri: string): string | undefined {
  return uri.startsWith('untitled:') ? decodeName(uri.slice('untitled:'.length)) : pathOf(uri);
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
