// @ts-check
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Copies the types of a library's entries, and those that they need, from `build` to `dist`. Throws if they name a package
 * that users of the library don't install.
 * @param {string} folder of the package
 */
export function copyDeclarations(folder) {
  const { exports, dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const known = new Set(Object.keys(dependencies));
  const entries = Object.values(exports).filter(({ types }) => types !== undefined);
  const files = entries.map(({ types }) => join(folder, types.replace('./dist/', 'build/')));
  const copied = new Set();
  for (const file of files) {
    if (copied.has(file)) continue;
    copied.add(file);
    const target = join(folder, 'dist', relative(join(folder, 'build'), file));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
    for (const name of importsOf(readFileSync(file, 'utf8'))) {
      if (name.startsWith('.')) files.push(join(dirname(file), name.replace(/\.[jt]s$/, '.d.ts')));
      else if (!name.startsWith('node:') && !known.has(packageOf(name)))
        throw new Error(`${file} imports ${name}, which is not among the dependencies of the package`);
    }
  }
}

/** @param {string} text */
function importsOf(text) {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, name = '']) => name);
}

/** @param {string} name */
function packageOf(name) {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
