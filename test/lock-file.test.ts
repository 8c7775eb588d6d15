import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Record<string, string>;
}

const readJson = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const locked: Record<string, LockedPackage> = readJson('package-lock.json').packages;

/** The folder in which Node finds `name` from the package at `from`, as far as the lock file knows. */
function resolveLocked(packages: Record<string, unknown>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

function missingOptionalPackages(packages: Record<string, LockedPackage>): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => resolveLocked(packages, path, name) === undefined)
      .map((name) => `${name}, wanted by ${path}`),
  );
}

test('every optional dependency of every locked package is in the lock file, for every platform', () => {
  expect(missingOptionalPackages(locked)).toEqual([]);
});

test('an optional dependency that the lock file lacks is found, one in a folder further up is not missing', () => {
  const packages = {
    'node_modules/a/node_modules/b': { optionalDependencies: { 'b-linux': '1', 'b-darwin': '1' } },
    'node_modules/b-linux': {},
  };
  expect(missingOptionalPackages(packages)).toEqual(['b-darwin, wanted by node_modules/a/node_modules/b']);
});

test('every package with an install script is named in allowScripts, so that npm prints no warning', () => {
  const withScript = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = withScript.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(names).toEqual(expect.arrayContaining(['esbuild']));
  expect(Object.keys(readJson('package.json').allowScripts)).toEqual(expect.arrayContaining(names));
});

test('no locked package requires a newer Node than we do, so that npm prints no warning', () => {
  // A range such as "^20.19.0 || >=22.12.0" begins at 20; one that begins above it excludes our oldest Node.
  const lowestMajor = (range = '*') => Math.min(...range.split('||').map((part) => Number(/\d+/.exec(part)?.[0] ?? 0)));
  const newer = Object.entries(locked).filter(([, { engines }]) => lowestMajor(engines?.node) > 20);
  expect(newer.map(([path]) => path)).toEqual([]);
});
