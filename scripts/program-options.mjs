// @ts-check
// What bundles are made with, whether they become a package or one file with everything.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { buildPage, packPages } from './build-page.mjs';
import { root } from './prepare.mjs';

/** @type {{ version: string, description: string }} */
export const { version, description } = JSON.parse(
  readFileSync(join(root, 'packages', 'bridge', 'package.json'), 'utf8'),
);

/** @type {import('esbuild').BuildOptions} */
export const library = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  logLevel: 'warning',
  // Those of the packages replace some types, which is not for the bundler.
  tsconfig: join(root, 'tsconfig.base.json'),
};

/** @type {import('esbuild').BuildOptions} */
export const program = {
  ...library,
  // Half the bytes to read at the start; names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
};

/**
 * Of `hawser`, `check` and `inspect`. Builds the pages that they contain.
 * @param {'in files' | 'inside'} place where the program has them
 */
export async function hawserOptions(place) {
  const [inspect, review] = await Promise.all([buildPage('inspect'), buildPage('review')]);
  /** @type {import('esbuild').BuildOptions} */
  const options = {
    // Its CommonJS finds its parts in a way that can't be bundled.
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      // The suites that plugins are checked with run without a test framework there.
      vitest: join(root, 'packages', 'bridge', 'src', 'editor-kit', 'suite-runner.ts'),
    },
    define: {
      HAWSER_VERSION: JSON.stringify(version),
      HAWSER_PAGES:
        place === 'in files'
          ? '__dirname'
          : JSON.stringify({ packed: packPages({ inspect: inspect.files, review: review.files }).toString('base64') }),
      // Packages that `ws` does without: looking for them takes time.
      'process.env.WS_NO_BUFFER_UTIL': '"1"',
      'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
    },
    plugins: [
      shortNamesInPackages,
      // `ws` needs this for compressed messages. The bridge compresses nothing.
      without(/^zlib$/),
      // `ws` needs these for wss: URLs only.
      lazily('https', ['request'], /^https$/),
      lazily('tls', ['connect'], /^tls$/),
      lazily('child_process', ['execFile', 'execFileSync', 'spawn']),
      // It loads readline.
      lazily('fs/promises', FILE_FUNCTIONS),
      lazily('crypto', [
        'createHash',
        'createHmac',
        'randomBytes',
        'randomFillSync',
        'randomUUID',
        'timingSafeEqual',
        'X509Certificate',
      ]),
    ],
  };
  return { options, inspect, review };
}

/** @type {Map<string, Promise<string>>} */
const shortened = new Map();

/**
 * The local names of installed packages are made short: nobody reads them in a stack trace of ours.
 * @type {import('esbuild').Plugin}
 */
const shortNamesInPackages = {
  name: 'short-names-in-packages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
      const known = shortened.get(path) ?? shorten(path);
      shortened.set(path, known);
      return { contents: await known, loader: 'js' };
    });
  },
};

/** @param {string} path */
async function shorten(path) {
  const { code } = await transform(readFileSync(path, 'utf8'), { minifyIdentifiers: true, platform: 'node' });
  return code;
}

/**
 * Leaves a package out that is never called.
 * @param {RegExp} filter
 * @returns {import('esbuild').Plugin}
 */
export const without = (filter) => ({
  name: 'without',
  setup({ onResolve, onLoad }) {
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'without' }));
    onLoad({ filter: /.*/, namespace: 'without' }, () => ({ contents: 'module.exports = {};' }));
  },
});

/**
 * Loads a module of Node at the first call of one of its functions, instead of at the start.
 * @param {string} module
 * @param {readonly string[]} functions the only ones that can be called
 * @param {RegExp} filter the names that it is required by
 * @returns {import('esbuild').Plugin}
 */
const lazily = (module, functions, filter = new RegExp(`^(node:)?${module}$`)) => ({
  name: `lazily-${module}`,
  setup({ onResolve, onLoad }) {
    onResolve({ filter }, () => ({ path: module, namespace: 'lazily' }));
    onLoad({ filter: new RegExp(`^${module}$`), namespace: 'lazily' }, () => ({
      contents: functions
        .map((name) => {
          const called = `process.getBuiltinModule('${module}').${name}(...args)`;
          // A class.
          if (/^[A-Z]/.test(name))
            return `export function ${name}(...args) { return new (process.getBuiltinModule('${module}').${name})(...args); }`;
          return `export const ${name} = (...args) => ${called};`;
        })
        .join('\n'),
    }));
  },
});

const FILE_FUNCTIONS = [
  ...['access', 'chmod', 'link', 'lstat', 'mkdir', 'mkdtemp', 'open', 'readFile', 'readdir', 'readlink', 'realpath'],
  ...['cp', 'rename', 'rm', 'rmdir', 'stat', 'symlink', 'unlink', 'writeFile'],
];
