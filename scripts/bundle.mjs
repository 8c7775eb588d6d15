// @ts-check
// Builds what is published. A package's entries are bundled, one file each: loading forty small files would cost a server a
// fifth of its start.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { packPages } from './build-page.mjs';
import { buildProgram, noticesOf } from './bundle-program.mjs';
import { compileStarts } from './compile-starts.mjs';
import { copyDeclarations } from './declarations.mjs';
import { loadManual, loadSource } from './load-source.mjs';
import { root } from './prepare.mjs';
import { description, hawserOptions, library, version, without } from './program-options.mjs';

// What an earlier build made must not be published.
for (const name of ['mcp', 'editor-protocol', 'check', 'inspect', 'bridge', 'lisp']) {
  rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true });
  copyFileSync(join(root, 'LICENSE'), join(root, 'packages', name, 'LICENSE'));
}

const folder = join(root, 'packages', 'mcp');
/** @type {{ exports: Record<string, Record<string, string>> }} */
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The large validator, which few programs load: a file of its own. Its packages, installed, take as much as this one. */
const AJV = /\/ajv-dialects\.ts$/;

/** Classes that several entries compare with `instanceof`, and state of which there must be one. */
const ONCE = [
  'jsonrpc/codec',
  'jsonrpc/errors',
  'jsonrpc/in-flight',
  'protocol/http-error',
  'protocol/store-unavailable',
];
const inMain = new Set(['index', ...ONCE].map((module) => join(folder, 'src', `${module}.ts`)));

/** @type {import('esbuild').Plugin} */
const ajvApart = {
  name: 'ajv-apart',
  setup({ onResolve }) {
    onResolve({ filter: AJV }, () => ({ path: './ajv.js', external: true }));
  },
};

/**
 * The other entries import these modules from the main one, so that there is one RpcError, not two. Those of transports
 * export all of the main one.
 * @type {import('esbuild').Plugin}
 */
const oneCopyInMain = {
  name: 'one-copy-in-main',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      return inMain.has(join(resolveDir, path)) ? { path: './index.js', external: true } : undefined;
    });
  },
};

// Readable lines, as they are written: stack traces need no maps, which would be more than half of the package.
for (const { '@hawser/source': source = '' } of Object.values(exports)) {
  if (source.endsWith('/index.ts')) continue;
  await build({
    ...library,
    entryPoints: [join(folder, source)],
    outdir: join(folder, 'dist'),
    plugins: [ajvApart, oneCopyInMain],
  });
}

// The main entry has at run time what the others take from it. Its declarations are those of index.ts alone.
await build({
  ...library,
  stdin: {
    contents: ['index', ...ONCE].map((module) => `export * from './${module}.ts';`).join('\n'),
    resolveDir: join(folder, 'src'),
    loader: 'ts',
  },
  outfile: join(folder, 'dist', 'index.js'),
  plugins: [ajvApart],
});

const { metafile: ajv } = await build({
  ...library,
  packages: 'bundle',
  minify: true,
  metafile: true,
  platform: 'neutral',
  mainFields: ['main'],
  entryPoints: [{ in: join(folder, 'src', 'protocol', 'schema', 'ajv-dialects.ts'), out: 'ajv' }],
  outdir: join(folder, 'dist'),
});
writeFileSync(join(folder, 'dist', 'THIRD-PARTY.txt'), noticesOf(Object.keys(ajv?.inputs ?? {})));

copyDeclarations(folder);

// An entry that needs something that the main one does not export fails here, not in a user's program.
for (const { default: file = '' } of Object.values(exports)) await import(pathToFileURL(join(folder, file)).href);

const protocol = join(root, 'packages', 'editor-protocol');
await build({
  ...library,
  sourcemap: true,
  entryPoints: [join(protocol, 'src', 'index.ts')],
  outdir: join(protocol, 'dist'),
});
copyDeclarations(protocol);

/** The bundles of `hawser` whose start counts, besides those of files that are needed together: agents and editors wait for them. */
const STARTED_OFTEN = ['command-line', 'serve-workspace', 'serve-neovim'];

const { options: withClient, inspect, review } = await hawserOptions('in files');
await buildProgram('check', [], [], withClient);
await buildProgram('inspect', inspect.inputs, [], withClient);
await buildProgram('bridge', [...inspect.inputs, ...review.inputs], STARTED_OFTEN, withClient);
const pagesOf = { inspect: { inspect: inspect.files }, bridge: { inspect: inspect.files, review: review.files } };
for (const [name, pages] of Object.entries(pagesOf)) {
  writeFileSync(join(root, 'packages', name, 'dist', 'chunks', 'pages.page'), packPages(pages));
}

// Every command loads it first. What a file besides its syntax runs when it is loaded brings the rest of it along.
const { size } = statSync(join(root, 'packages', 'bridge', 'dist', 'chunks', 'command-line.cjs'));
if (size > 90_000) throw new Error(`command-line.cjs has ${size} bytes: it contains the code of a command`);

await compileStarts();

const manual = join(root, 'packages', 'bridge', 'man');
mkdirSync(manual, { recursive: true });
writeFileSync(join(manual, 'hawser.1'), (await loadManual()).manPage({ version, description }));

copyDeclarations(join(root, 'packages', 'bridge'));

// The worker of the Lisp engines: its system as one file for each, beside the bundle that reads it.
const lisp = join(root, 'packages', 'lisp');
const lispHome = join(lisp, 'dist', 'chunks');
mkdirSync(lispHome, { recursive: true });
/** @type {typeof import('../packages/lisp/src/evaluators/worker/join-system.ts')} */
const { joinSystem } = await loadSource('packages/lisp/src/evaluators/worker/join-system.ts');
const fingerprint = createHash('sha256');
for (const engine of /** @type {const} */ (['sbcl', 'ecl'])) {
  const source = joinSystem(join(lisp, 'lisp'), engine);
  if (engine === 'sbcl') fingerprint.update(source);
  writeFileSync(join(lispHome, `hawser-worker-${engine}.lisp`), source);
}

// An agent starts it anew for each conversation and then waits for it.
await buildProgram('lisp', [], 'all', {
  define: {
    'import.meta.url': '__url',
    HAWSER_VERSION: JSON.stringify(version),
    LISP_FINGERPRINT: JSON.stringify(fingerprint.digest('hex').slice(0, 32)),
  },
  banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
  // None of its own schemas needs the large validator, and there are no others.
  plugins: [without(/^ajv(\/|$)/)],
});
