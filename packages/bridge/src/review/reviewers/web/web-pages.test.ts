import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { lazyPages } from './lazy-pages.ts';

const door = { accept: () => {}, changed: () => {} };

// The bundler puts the files of the page in its place; here there are none.
beforeAll(() => vi.stubGlobal('HAWSER_PAGES', { packed: brotliCompressSync('{}').toString('base64') }));
afterAll(() => vi.unstubAllGlobals());

it('links that are asked for at once lead to one page', async () => {
  const pages = lazyPages(door);
  const opened = await Promise.all([pages.open({ hours: 1 }), pages.open({ hours: 1 })]);
  expect(new Set(opened.map(({ url }) => url)).size).toBe(1);
  expect(pages.served()).toHaveLength(1);
  await pages.close();
  expect(pages.served()).toEqual([]);
});

it('a page that opens while its bridge ends does not stay', async () => {
  const pages = lazyPages(door);
  const opening = pages.open({ hours: 1 });
  await pages.close();
  await expect(opening).rejects.toThrow('The bridge is closing');
  expect(pages.served()).toEqual([]);
});
