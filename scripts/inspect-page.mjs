// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

const folder = join(root, 'packages', 'inspect', 'src', 'page');

/**
 * The page of `hawser inspect`, by path, as packages/inspect/src/page-files.ts expects it, and the files that it was made from.
 * @returns {Promise<{ page: Record<string, { type: string, gzip: string }>, inputs: string[] }>}
 */
export async function buildInspectPage() {
  const { outputFiles, metafile } = await build({
    entryPoints: [
      { in: join(folder, 'main.tsx'), out: 'page' },
      { in: join(folder, 'form', 'validator-worker.ts'), out: 'validator' },
      { in: join(folder, 'styles', 'page.css'), out: 'page' },
    ],
    outdir: '/',
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['@hawser/source'],
    tsconfig: join(root, 'tsconfig.base.json'),
    logLevel: 'warning',
    metafile: true,
  });
  const files = [
    ...outputFiles.map(({ path, contents }) => ({ path: path.replaceAll('\\', '/'), contents: Buffer.from(contents) })),
    { path: '/', contents: readFileSync(join(folder, 'index.html')) },
    { path: '/icon.svg', contents: readFileSync(join(folder, 'icon.svg')) },
  ];
  const packed = files.map(({ path, contents }) => [path, { type: typeOf(path), gzip: pack(contents) }]);
  return { page: Object.fromEntries(packed), inputs: Object.keys(metafile.inputs) };
}

/** @param {Buffer} contents */
function pack(contents) {
  return gzipSync(contents, { level: 9 }).toString('base64');
}

/** @param {string} path */
function typeOf(path) {
  if (path.endsWith('.js')) return 'text/javascript; charset=utf-8';
  if (path.endsWith('.css')) return 'text/css; charset=utf-8';
  return path.endsWith('.svg') ? 'image/svg+xml' : 'text/html; charset=utf-8';
}
