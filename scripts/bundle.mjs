// @ts-check
// Bundles a package's entries, one file each: loading forty small files would cost a server a fifth of its start.
import { createHash } from 'node:crypto';
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
  sourcemap: true,
  logLevel: 'warning',
};

/** @type {import('esbuild').BuildOptions} */
const program = {
  ...common,
  // Half the bytes to read at the start; names stay, for stack traces.
  minifyWhitespace: true,
  sourcesContent: false,
};

const folder = join(root, 'packages', 'mcp');
/** @type {{ exports: Record<string, Record<string, string>> }} */
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * The other entries import the classes of JSON-RPC from the main one, so that there is one RpcError, not two.
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

// Readable lines: Node prints the line that threw, whole.
for (const { '@hawser/source': source = '' } of Object.values(exports)) {
  const isMain = source.endsWith('/index.ts');
  await build({
    ...common,
    entryPoints: [join(folder, source)],
    outdir: join(folder, 'dist'),
    plugins: isMain ? [] : [sharedWithMain],
  });
}

// An entry that needs something that the main one does not export fails here, not in a user's program.
for (const { default: file = '' } of Object.values(exports)) await import(pathToFileURL(join(folder, file)).href);

/**
 * Leaves a package out that is never called.
 * @param {RegExp} filter
 * @returns {import('esbuild').Plugin}
 */
const without = (filter) => ({
  name: 'without',
  setup({ onResolve, onLoad }) {
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'without' }));
    onLoad({ filter: /.*/, namespace: 'without' }, () => ({ contents: 'module.exports = {};' }));
  },
});

/**
 * A program brings everything along: finding and reading packages would take as long as the rest of its start.
 * @param {string} name
 * @param {import('esbuild').BuildOptions} options
 */
async function buildProgram(name, options) {
  const home = join(root, 'packages', name);
  const outdir = join(home, 'dist');
  rmSync(join(outdir, 'chunks'), { recursive: true, force: true });
  const { metafile } = await build({
    ...program,
    ...options,
    entryPoints: [join(home, 'src', 'main.ts')],
    outdir,
    metafile: true,
    packages: 'bundle',
    conditions: ['@hawser/source'],
  });
  writeFileSync(join(outdir, 'THIRD-PARTY.txt'), noticesOf(Object.keys(metafile.inputs)));
}

await buildProgram('bridge', {
  // What `ws` uses when it is there, and does without.
  external: ['bufferutil', 'utf-8-validate'],
  // What only one command needs is loaded by that command.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  // A client of Neovim that is given a logger never calls this one; loading it would take longer than all the rest.
  plugins: [without(/^winston$/)],
});

// The worker of the Lisp engines is looked for beside the module that starts it, so all of it lies beside the bundle.
const lisp = join(root, 'packages', 'lisp');
const lispFiles = readdirSync(join(lisp, 'src', 'evaluators'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.lisp'),
);
if (new Set(lispFiles.map((file) => basename(file))).size < lispFiles.length)
  throw new Error('Two Lisp files of one name');
const fingerprint = createHash('sha256');
for (const file of lispFiles.sort((one, other) => (basename(one) < basename(other) ? -1 : 1))) {
  const path = join(lisp, 'src', 'evaluators', file);
  fingerprint.update(`${basename(file)}\0`).update(readFileSync(path));
  copyFileSync(path, join(lisp, 'dist', basename(file)));
}

// An agent starts it anew for each conversation and then waits for it. As CommonJS it is there sooner by a fifth of the
// time that Node itself takes.
await buildProgram('lisp', {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': '__url', LISP_FINGERPRINT: JSON.stringify(fingerprint.digest('hex').slice(0, 32)) },
  banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
  // None of its own schemas needs the large validator, and there are no others.
  plugins: [without(/^ajv(\/|$)/)],
});

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
