// @ts-check
// Bundles a package's entries, one file each: loading forty small files would cost a server a fifth of its start.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  // Half the bytes to read at the start; names stay, for stack traces.
  minifyWhitespace: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
};

const folder = join(root, 'packages', 'mcp');
/** @type {{ exports: Record<string, Record<string, string>> }} */
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * The classes of JSON-RPC the other entries import from the main one, so that there is one RpcError, not two.
 * @type {import('esbuild').Plugin}
 */
const sharedWithMain = {
  name: 'shared-with-main',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const target = join(resolveDir, path).split(sep).join('/');
      return /\/jsonrpc\/(errors|codec)\.ts$/.test(target) ? { path: './index.js', external: true } : undefined;
    });
  },
};

for (const { '@hawser/source': source = '' } of Object.values(exports)) {
  const isMain = source.endsWith('/index.ts');
  await build({
    ...common,
    entryPoints: [join(folder, source)],
    outdir: join(folder, 'dist'),
    plugins: isMain ? [] : [sharedWithMain],
  });
}

// An entry that wants something the main one does not export fails here, not with a user.
for (const { default: file = '' } of Object.values(exports)) await import(pathToFileURL(join(folder, file)).href);

/**
 * A client of Neovim that is given a logger never calls this one; loading it would take longer than all the rest.
 * @type {import('esbuild').Plugin}
 */
const withoutWinston = {
  name: 'without-winston',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^winston$/ }, () => ({ path: 'winston', namespace: 'without' }));
    onLoad({ filter: /.*/, namespace: 'without' }, () => ({ contents: 'module.exports = {};' }));
  },
};

for (const program of ['bridge', 'lisp']) {
  const home = join(root, 'packages', program);
  const outdir = join(home, 'dist');
  rmSync(join(outdir, 'chunks'), { recursive: true, force: true });
  const { metafile } = await build({
    ...common,
    entryPoints: [join(home, 'src', 'main.ts')],
    outdir,
    metafile: true,
    // A program brings everything along: finding and reading packages would take as long as the rest of its start.
    packages: 'bundle',
    conditions: ['@hawser/source'],
    // What `ws` uses when it is there, and does without.
    external: ['bufferutil', 'utf-8-validate'],
    // What only one command needs is loaded by that command.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    plugins: [withoutWinston],
  });
  const notices = noticesOf(Object.keys(metafile.inputs));
  if (notices !== '') writeFileSync(join(outdir, 'THIRD-PARTY.txt'), notices);
}

/**
 * Whose work has come into a bundle, and on which terms.
 * @param {readonly string[]} inputs
 */
function noticesOf(inputs) {
  const folders = inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(folders)]
    .map((folder) => {
      /** @type {{ name: string, version: string, license: string, homepage?: string }} */
      const { name, version, license, homepage = '' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8')}`;
      return `${name} ${version}, ${license} ${homepage}\n${text}`;
    })
    .join('\n');
}

// The worker of the Lisp engines is looked for beside the module that starts it, so all of it lies beside the bundle.
const lisp = join(root, 'packages', 'lisp');
const lispFiles = readdirSync(join(lisp, 'src', 'evaluators'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.lisp'),
);
if (new Set(lispFiles.map((file) => basename(file))).size < lispFiles.length)
  throw new Error('Two Lisp files of one name');
for (const file of lispFiles) copyFileSync(join(lisp, 'src', 'evaluators', file), join(lisp, 'dist', basename(file)));
