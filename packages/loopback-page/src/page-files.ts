import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { PageFile } from './page-host.ts';

/** Set by the bundler: the folder with the pages, or, where the program is one file, the pages themselves, as base64. */
declare const HAWSER_PAGES: string | Readonly<Record<string, string>>;

/** The files of a page by path, as `scripts/build-page.mjs` packs them. */
export function pageFiles(name: 'inspect' | 'review'): ReadonlyMap<string, PageFile> {
  const packed =
    typeof HAWSER_PAGES === 'string'
      ? readFileSync(join(HAWSER_PAGES, `${name}.page`))
      : Buffer.from(HAWSER_PAGES[name] ?? '', 'base64');
  const files = JSON.parse(brotliDecompressSync(packed).toString()) as Record<string, { type: string; text: string }>;
  return new Map(Object.entries(files).map(([path, { type, text }]) => [path, { type, bytes: Buffer.from(text) }]));
}
