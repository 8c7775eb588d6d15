import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { PageFile } from './page-host.ts';

/** Set by the bundler: the folder with the file of pages, or, where the program is one file, the pages themselves, as base64. */
declare const HAWSER_PAGES: string | { readonly packed: string };

type PackedPage = Readonly<Record<string, { readonly type: string; readonly text: string }>>;

/** The files of a page by path, as `scripts/build-page.mjs` packs them. */
export function pageFiles(name: 'inspect' | 'review'): ReadonlyMap<string, PageFile> {
  const packed =
    typeof HAWSER_PAGES === 'string'
      ? readFileSync(join(HAWSER_PAGES, 'pages.page'))
      : Buffer.from(HAWSER_PAGES.packed, 'base64');
  const pages = JSON.parse(brotliDecompressSync(packed).toString()) as Partial<Record<string, PackedPage>>;
  return new Map(
    Object.entries(pages[name] ?? {}).map(([path, { type, text }]) => [path, { type, bytes: Buffer.from(text) }]),
  );
}
