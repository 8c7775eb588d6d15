// @ts-check
// Vitest finds the tests of a change by their imports. Tests also start what is built and read other files, which it can't see.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * @param {string} root
 * @returns {string} the commit that this branch left `main` at; the current one on `main` itself
 */
export function branchPoint(root) {
  try {
    return git(root, ['merge-base', 'main', 'HEAD'])[0] ?? 'HEAD';
  } catch {
    return 'HEAD';
  }
}

/**
 * @param {string} root
 * @param {string} commit
 * @returns {string[]} the files that differ from the commit, with those that are new, relative to the root
 */
export function changedFiles(root, commit) {
  const tracked = git(root, ['diff', '--name-only', commit]);
  return [...tracked, ...git(root, ['ls-files', '--others', '--exclude-standard'])];
}

/**
 * @param {string} root
 * @param {string[]} args
 */
function git(root, args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter((line) => line !== '');
}

/**
 * The tests that start programs built from the changed files, or name a changed file that is no code, or its folder.
 * @param {string} root
 * @param {readonly string[]} tests
 * @param {readonly string[]} changed
 */
export function testsThatName(root, tests, changed) {
  const rebuilt = dependants(
    root,
    changed.flatMap((path) => /^packages\/([^/]+)\/(?:src|lisp|bin)\//.exec(path)?.[1] ?? []),
  );
  const names = new Set(changed.filter((path) => !/\.[cm]?[jt]sx?$/.test(path)).flatMap(tellingParts));
  /** @type {Map<string, string>} */
  const texts = new Map();
  return tests.filter((test) =>
    [...closure(root, test, texts)].some(
      ([path, text]) => [...builtPackages(root, path, text)].some((name) => rebuilt.has(name)) || mentions(text, names),
    ),
  );
}

const COMMON_FOLDERS = new Set(['packages', 'src', 'test', 'testing', 'tests']);

/** @param {string} path */
function tellingParts(path) {
  return path.split('/').filter((part) => !COMMON_FOLDERS.has(part));
}

/**
 * @param {string} text
 * @param {Set<string>} names
 */
function mentions(text, names) {
  if (names.size === 0) return false;
  const written = text.match(/(?<=['"`/])[\w.@-]+(?=['"`/])/g) ?? [];
  return written.some((name) => names.has(name));
}

/**
 * The packages whose built form the code in a file uses.
 * @param {string} root
 * @param {string} path
 * @param {string} text
 * @returns {Iterable<string>}
 */
function builtPackages(root, path, text) {
  if (/\/src\/(?!.*\.test\.ts$)/.test(path)) return [];
  const all = readdirSync(join(root, 'packages'));
  // Examples import the packages as users do.
  if (/['"`/]examples['"`/]/.test(text)) return all;
  if (!/['"`/](?:dist|bin)['"`/]/.test(text)) return [];
  const named = all.filter((name) => new RegExp(`\\b${name}\\W+(?:dist|bin)\\b`).test(text));
  const own = /^packages\/([^/]+)\//.exec(path)?.[1];
  return own === undefined ? named : [...named, own];
}

/**
 * @param {string} root
 * @param {readonly string[]} changed
 * @returns {Set<string>} the packages that have code of a changed one in them
 */
function dependants(root, changed) {
  const packages = readdirSync(join(root, 'packages')).map((folder) => {
    const { name, dependencies, devDependencies } = JSON.parse(
      readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'),
    );
    return { folder, name, uses: Object.keys({ ...dependencies, ...devDependencies }) };
  });
  const found = new Set(changed);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    const names = packages.filter(({ folder }) => found.has(folder)).map(({ name }) => name);
    for (const { folder, uses } of packages) if (uses.some((used) => names.includes(used))) found.add(folder);
  }
  return found;
}

/**
 * A file and what it imports by a relative path, with their texts.
 * @param {string} root
 * @param {string} path
 * @param {Map<string, string>} texts
 * @returns {Map<string, string>}
 */
function closure(root, path, texts) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const open = [path];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const file = join(root, next);
    if (found.has(next) || !existsSync(file)) continue;
    const text = texts.get(next) ?? readFileSync(file, 'utf8');
    texts.set(next, text);
    found.set(next, text);
    for (const [, specifier = ''] of text.matchAll(/(?:from|import\(|import) ?'(\.[^']+)'/g)) {
      open.push(relative(root, join(root, dirname(next), specifier)));
    }
  }
  return found;
}
