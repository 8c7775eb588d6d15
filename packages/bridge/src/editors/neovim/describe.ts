import { realpath, stat } from 'node:fs/promises';
import type { OpenDocument } from '../../editor.ts';
import { languageIdOf } from '../languages.ts';
import { lineCountOf } from '../line-count.ts';
import { languageIdOfFiletype } from './filetypes.ts';
import type { WireDocument } from './wire.ts';

type Counted = Map<string, { readonly stamp: string; readonly lines: number }>;

/** Documents as the contract has them. Those that Neovim knows only by name are looked up on disk, here and not there. */
export class DocumentDescriptions {
  /** The lines of files, for as long as they stay the same. */
  #counted: Counted = new Map();

  async of(documents: readonly WireDocument[]): Promise<OpenDocument[]> {
    const before = this.#counted;
    this.#counted = new Map();
    const described = await Promise.all(
      documents.map((document) =>
        document.lines === undefined ? this.#unloaded(document, before) : describe(document),
      ),
    );
    return described.filter((document) => document !== undefined);
  }

  /** Undefined for a directory. */
  async #unloaded(document: WireDocument, before: Counted): Promise<OpenDocument | undefined> {
    const path = await realpath(document.path).catch(() => document.path);
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return undefined;
    const stamp = `${found?.mtimeMs} ${found?.size} ${found?.ino}`;
    const known = before.get(path);
    const lines = known?.stamp === stamp ? known.lines : await lineCountOf(path);
    this.#counted.set(path, { stamp, lines });
    const languageId = document.filetype === '' ? languageIdOf(path) : languageIdOfFiletype(document.filetype);
    return { ...describe({ ...document, path, lines }), languageId };
  }
}

export function describe({ path, filetype, lines = 0, active, dirty, untitled }: WireDocument): OpenDocument {
  return {
    path,
    languageId: languageIdOfFiletype(filetype),
    lineCount: lines,
    isActive: active,
    isDirty: dirty,
    isUntitled: untitled,
  };
}
