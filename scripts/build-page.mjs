// @ts-check
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

const parts = join(root, 'packages', 'page-parts', 'src');
/**
 * The pages that programs contain, by the names of their folders.
 * @type {Record<'inspect' | 'review', { folder: string, title: string, scripts: Record<string, string> }>}
 */
const PAGES = {
  inspect: {
    folder: join(root, 'packages', 'inspect', 'src', 'page'),
    title: 'Hawser Inspect',
    scripts: { page: 'main.tsx', validator: 'form/validator-worker.ts' },
  },
  review: {
    folder: join(root, 'packages', 'bridge', 'src', 'review', 'reviewers', 'web', 'page'),
    title: 'Hawser Review',
    scripts: { page: 'main.tsx', colours: 'colours-worker.ts', editor: 'editor.ts' },
  },
};

/**
 * The files of a page, those that it was made from, and how many bytes browsers load of each file, compressed.
 * @param {keyof typeof PAGES} name
 * @returns {Promise<{ files: object, inputs: string[], gzip: Record<string, number> }>}
 */
export async function buildPage(name) {
  const { folder, title, scripts } = PAGES[name];
  const entries = Object.entries(scripts).map(([out, file]) => ({ in: join(folder, file), out }));
  const { outputFiles, metafile } = await build({
    entryPoints: [...entries, { in: join(folder, 'styles', 'page.css'), out: 'page' }],
    outdir: '/',
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['@hawser/source'],
    plugins: [loadedLater],
    tsconfig: join(root, 'tsconfig.base.json'),
    logLevel: 'warning',
    metafile: true,
  });
  const files = [
    ...outputFiles.map(({ path, contents }) => ({ path: path.replaceAll('\\', '/'), contents: Buffer.from(contents) })),
    { path: '/', contents: Buffer.from(readFileSync(join(parts, 'index.html'), 'utf8').replace('{title}', title)) },
    { path: '/icon.svg', contents: readFileSync(join(parts, 'icon.svg')) },
  ];
  return {
    files: Object.fromEntries(files.map(({ path, contents }) => [path, { type: typeOf(path), text: `${contents}` }])),
    inputs: Object.keys(metafile.inputs),
    gzip: Object.fromEntries(files.map(({ path, contents }) => [path, gzipSync(contents, { level: 9 }).length])),
  };
}

/**
 * What a page imports with `import()` is a script of its own.
 * @type {import('esbuild').Plugin}
 */
const loadedLater = {
  name: 'loaded-later',
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `/${basename(path, '.ts')}.js`, external: true } : undefined,
    );
  },
};

/**
 * Pages as packages/loopback-page/src/page-files.ts reads them. They have much in common, which is in there once.
 * @param {Partial<Record<keyof typeof PAGES, object>>} pages the files of each
 */
export function packPages(pages) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(JSON.stringify(pages), { params });
}

/** @param {string} path */
function typeOf(path) {
  if (path.endsWith('.js')) return 'text/javascript; charset=utf-8';
  if (path.endsWith('.css')) return 'text/css; charset=utf-8';
  return path.endsWith('.svg') ? 'image/svg+xml' : 'text/html; charset=utf-8';
}
