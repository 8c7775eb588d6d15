// @ts-check
// How a program becomes bundles: one that starts it, and one for each thing that it imports with `import()`.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { build, transform } from 'esbuild';
import { compiledPath, scriptOf } from '../packages/bridge/bin/load-bundle.cjs';
import { root } from './prepare.mjs';
import { program } from './program-options.mjs';

/**
 * A program brings everything along: finding and reading packages would take as long as the rest of its start. It is
 * CommonJS, which Node loads sooner than ES modules by a fifth of its own start. What it imports with `import()` is a
 * bundle of its own, loaded at that moment. A bundle that is named in `whole` has all that it needs in one file, because its
 * start counts; the others share the code that several of them need, so that it is installed once.
 * @param {string} name
 * @param {readonly string[]} moreInputs files that are in it besides those that it imports
 * @param {'all' | readonly string[]} whole
 * @param {import('esbuild').BuildOptions} options
 */
export async function buildProgram(name, moreInputs, whole, { plugins = [], ...options }) {
  const home = join(root, 'packages', name);
  const outdir = join(home, 'dist');
  /** @type {Set<string>} */
  const inputs = new Set(moreInputs);
  // The files in each bundle, by its name. More are added while they are built.
  /** @type {Map<string, readonly string[]>} */
  const entries = new Map([['main', [join(home, 'src', 'main.ts')]]]);
  /** @type {import('esbuild').BuildOptions} */
  const everyBundle = {
    ...program,
    // `require` instead of `import()`, which would load the loader of ES modules.
    supported: { 'dynamic-import': false },
    ...options,
    metafile: true,
    packages: 'bundle',
    conditions: ['@hawser/source'],
  };
  for (const [out, files] of entries) {
    const [file = ''] = files;
    const { metafile } = await build({
      ...everyBundle,
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      plugins: [...plugins, bundlesOfTheirOwn(out, entries)],
      ...(files.length === 1
        ? { entryPoints: [{ in: file, out: out === 'main' ? out : `chunks/${out}` }], outdir }
        : { stdin: { contents: together(files), resolveDir: root }, outfile: join(outdir, 'chunks', `${out}.cjs`) }),
      // Those that are not whole are built below; this finds what they import.
      write: isWhole([out, files], whole),
    });
    for (const input of Object.keys(metafile?.inputs ?? {})) inputs.add(input);
  }
  const apart = [...entries].filter((entry) => !isWhole(entry, whole));
  const library = join(home, 'src', 'index.ts');
  if (existsSync(library)) apart.push(['library', [library]]);
  const parts = await buildTogether(apart, join(outdir, 'chunks'), {
    ...everyBundle,
    plugins: [...plugins, bundlesOfTheirOwn('parts', entries)],
  });
  writeFileSync(join(outdir, 'THIRD-PARTY.txt'), noticesOf([...inputs]));
  for (const [out, files] of entries) {
    if (files.length === 1 || apart.length === 0) continue;
    for (const member of membersOf(files)) {
      const file = fileOf(out, member);
      writeFileSync(
        join(outdir, 'chunks', `${file}.cjs`),
        `module.exports = require("./${out}.cjs")[${JSON.stringify(member)}];\n`,
      );
      parts.push(file);
    }
  }
  if (parts.includes('library')) writeLibrary(outdir);
  const names = [...entries].filter((entry) => entry[0] !== 'main' && isWhole(entry, whole)).map(([out]) => out);
  for (const out of [...names, ...parts]) keepCompiled(join(outdir, 'chunks', `${out}.cjs`));
}

/**
 * What is needed together is loaded together.
 * @param {readonly [name: string, files: readonly string[]]} entry
 * @param {'all' | readonly string[]} whole
 */
function isWhole([name, files], whole) {
  return whole === 'all' || name === 'main' || files.length > 1 || whole.includes(name);
}

/**
 * Bundles that share what several of them need. The bundler shares code between ES modules alone, so they are made
 * CommonJS afterwards.
 * @param {readonly (readonly [name: string, files: readonly string[]])[]} entries
 * @param {string} folder
 * @param {import('esbuild').BuildOptions} options
 * @returns {Promise<string[]>} their names, and those of what they share
 */
async function buildTogether(entries, folder, options) {
  if (entries.length === 0) return [];
  const { outputFiles = [] } = await build({
    ...options,
    format: 'esm',
    splitting: true,
    write: false,
    entryPoints: entries.map(([out, [file = '']]) => ({ in: file, out })),
    chunkNames: 'shared-[hash]',
    outdir: folder,
  });
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20.19',
      minifyWhitespace: true,
      minifySyntax: true,
      // Nearly all of it is vitest's matchers. Elsewhere the names are in the stacks that users report.
      minifyIdentifiers: basename(path) === 'check-plugin.js',
    });
    writeFileSync(path.replace(/\.js$/, '.cjs'), code.replace(/"\.\/(shared-[A-Z0-9]{8})\.js"/g, '"./$1.cjs"'));
  }
  return outputFiles.map(({ path }) => basename(path, '.js'));
}

/**
 * The program as a library, which shares its code. It is complete: a program that embeds it installs nothing else.
 * @param {string} folder
 */
function writeLibrary(folder) {
  const names = Object.keys(createRequire(import.meta.url)(join(folder, 'chunks', 'library.cjs')));
  const lines = [
    "import library from './chunks/library.cjs';",
    '',
    `export const { ${names.join(', ')} } = library;`,
    '',
  ];
  writeFileSync(join(folder, 'index.js'), lines.join('\n'));
}

/**
 * Has V8 compile a bundle, runs it, so that the functions it calls while it is loaded are compiled too, and keeps that.
 * @param {string} path
 */
function keepCompiled(path) {
  // load-bundle.cjs reads them as latin1. The bundler escapes other characters, but not in regular expressions.
  const [wide] = /[^\0-\x7f]/.exec(readFileSync(path, 'utf8')) ?? [];
  if (wide !== undefined) throw new Error(`${path}: write ${wide} as an escape in its regular expression`);
  const script = scriptOf(path);
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, createRequire(path), bundle, path, dirname(path));
  writeFileSync(compiledPath(path), script.createCachedData());
}

const loader = join(root, 'packages', 'bridge', 'bin', 'load-bundle.cjs');

/**
 * Files that are needed together, or that share nearly everything: one bundle, loaded when the first of them is imported.
 * The names of its members, by their files.
 * @type {Readonly<Record<string, ReadonlyMap<string, string>>>}
 */
const NEEDED_TOGETHER = {
  'agent-adapters': inEachAgent('adapter.ts'),
  'agent-gates': inEachAgent('gate.ts'),
  'agent-servers': inEachAgent('server.ts'),
  // Scripts run these commands, and wait for them.
  'bridge-commands': filesIn(join('bridge', 'src', 'cli'), ['mention', 'pause', 'status', 'stop']),
  'client-commands': filesIn(join('client', 'src', 'commands'), ['call', 'lists']),
};

/**
 * @param {string} folder
 * @param {readonly string[]} names
 */
function filesIn(folder, names) {
  return new Map(names.map((name) => [join(root, 'packages', folder, `${name}.ts`), name]));
}

/** @param {string} file */
function inEachAgent(file) {
  const folder = join(root, 'packages', 'bridge', 'src', 'agents');
  const files = readdirSync(folder).map((name) => /** @type {const} */ ([join(folder, name, file), name]));
  return new Map(files.filter(([path]) => existsSync(path)));
}

/**
 * @param {string} path
 * @returns {{ name: string, files: readonly string[], member?: string }}
 */
function bundleOf(path) {
  for (const [name, members] of Object.entries(NEEDED_TOGETHER)) {
    const member = members.get(path);
    if (member !== undefined) return { name, files: [...members.keys()], member };
  }
  return { name: basename(path, extname(path)), files: [path] };
}

/** @param {readonly string[]} files */
function membersOf(files) {
  return files.map((file) => bundleOf(file).member ?? '');
}

/** @param {readonly string[]} files */
function together(files) {
  const members = membersOf(files);
  return files.map((file, i) => `export * as ${JSON.stringify(members[i])} from ${JSON.stringify(file)};`).join('\n');
}

const CONNECTIONS = join(root, 'packages', 'client', 'src', 'connections');

/**
 * What bundles contain though they import it with `import()`, because loading one bundle more takes 5 ms: those that serve
 * import every adapter at once, and a client compares the errors of its connection with classes of its own.
 * @param {string} bundle
 * @param {string} path
 */
function isPartOf(bundle, path) {
  if (bundle === 'client-commands') return dirname(path) === CONNECTIONS;
  return (bundle.startsWith('serve') || bundle === 'parts') && bundleOf(path).name === 'agent-adapters';
}

/** Limits that hold for a process: one copy, whichever bundles import it. */
const ONCE_IN_A_PROCESS = [join(root, 'packages', 'bridge', 'src', 'regular-file.ts')];

/**
 * The file of a bundle, or that of one of its members.
 * @param {string} bundle
 * @param {string | undefined} member
 */
function fileOf(bundle, member) {
  return member === undefined ? bundle : `${bundle}-${member}`;
}

/**
 * @param {string} bundle
 * @param {Map<string, readonly string[]>} entries
 * @returns {import('esbuild').Plugin}
 */
const bundlesOfTheirOwn = (bundle, entries) => ({
  name: 'bundles-of-their-own',
  setup(bundler) {
    bundler.onResolve({ filter: /.*/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      const isOnce = kind === 'import-statement' && ONCE_IN_A_PROCESS.includes(join(resolveDir, path));
      if ((kind !== 'dynamic-import' && !isOnce) || path.startsWith('node:')) return undefined;
      if (pluginData === bundlesOfTheirOwn) return undefined;
      const found = await bundler.resolve(path, { kind, importer, resolveDir, pluginData: bundlesOfTheirOwn });
      if (found.errors.length > 0 || found.external || found.namespace !== 'file') return found;
      if (isPartOf(bundle, found.path)) return found;
      const { name, files, member } = bundleOf(found.path);
      const other = entries.get(name);
      if (other !== undefined && other.join() !== files.join()) throw new Error(`Two bundles would be called ${name}`);
      entries.set(name, files);
      // As a file beside it: what is imported with `import()` would become one more that is shared.
      if (bundle === 'parts') return { path: `./${fileOf(name, member)}.cjs`, external: true };
      return { path: member === undefined ? name : `${name}/${member}`, namespace: 'bundle' };
    });
    bundler.onLoad({ filter: /.*/, namespace: 'bundle' }, ({ path }) => {
      const [name, member] = path.split('/');
      const file = `'${bundle === 'main' ? 'chunks/' : ''}${name}.cjs'`;
      const loaded = `require('load-bundle').loadBundle(require('node:path').join(__dirname, ${file}))`;
      const contents = `module.exports = ${loaded}${member === undefined ? '' : `[${JSON.stringify(member)}]`};`;
      return { contents, resolveDir: root };
    });
    bundler.onResolve({ filter: /^load-bundle$/ }, () => ({ path: loader }));
  },
});

/**
 * Whose work has come into a bundle, and on which terms.
 * @param {readonly string[]} inputs
 */
export function noticesOf(inputs) {
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
