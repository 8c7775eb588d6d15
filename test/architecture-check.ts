import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { longestFile, type PackageRule, type PartRule, packages } from './architecture-rules.ts';
import { type Import, readSource } from './imports.ts';

/**
 * Holds a tree of source files, path to text, against the table. Paths are relative to the repository and have `/`.
 * Gives one sentence per violation.
 */
export function violationsIn(files: ReadonlyMap<string, string>): string[] {
  const violations: string[] = [];
  const edges = new Map<string, string[]>();
  for (const [path, source] of files) {
    const home = placeOf(path);
    if (home === undefined) {
      violations.push(`${path}: no part in test/architecture-rules.ts covers this file`);
      continue;
    }
    violations.push(...lengthViolations(path, source));
    const { imports, environmentReads } = readSource(path, source);
    for (const found of imports) {
      const problem = importProblem(home, found, files);
      if (problem !== undefined) violations.push(`${path}:${found.line} ${problem}`);
    }
    for (const { what, line } of environmentReads) {
      const readers = home.rule.environmentReadBy;
      if (readers === undefined || isTest(path) || readers.includes(home.inside)) continue;
      violations.push(`${path}:${line} reads ${what}: only ${readers.join(', ')} may`);
    }
    edges.set(path, runtimeTargets(home, imports, files));
  }
  return [...violations, ...cyclesIn(edges).map((cycle) => `import cycle: ${cycle.join(' → ')}`)];
}

/** Where a file is, by the table. */
interface Place {
  readonly path: string;
  /** The path under src. */
  readonly inside: string;
  readonly rule: PackageRule;
  readonly part: PartRule;
  /** Which of the folders of `x/<each>/`; empty for other parts. */
  readonly folder: string;
}

function placeOf(path: string): Place | undefined {
  const [, folder, inside] = /^packages\/([^/]+)\/(?:src|testing)\/(.+)$/.exec(path) ?? [];
  const rule = packages.find((candidate) => candidate.folder === folder);
  if (rule === undefined || inside === undefined) return undefined;
  if (path.startsWith(`packages/${folder}/testing/`)) return { path, inside, rule, part: anyTest, folder: '' };
  for (const part of rule.parts) {
    for (const at of part.at) {
      const match = patternOf(at).exec(inside);
      if (match !== null) return { path, inside, rule, part, folder: match.groups?.each ?? '' };
    }
  }
  return isTest(path) ? { path, inside, rule, part: anyTest, folder: '' } : undefined;
}

/** Tests need no part: what they may import depends on their package alone. */
const anyTest: PartRule = { name: 'tests', at: [], mayImport: 'everything' };

function patternOf(at: string): RegExp {
  if (at === '*.ts') return /^[^/]+\.ts$/;
  const literal = at.replace(/[.]/g, '\\.').replace('<each>', '(?<each>[^/]+)');
  return new RegExp(at.endsWith('/') ? `^${literal}.` : `^${literal}$`);
}

function isTest(path: string): boolean {
  return /\.(test|contract)\.[cm]?tsx?$/.test(path) || isTesting(path);
}

/** Helpers of tests serve the tests of every package. */
function isTesting(path: string): boolean {
  return /^packages\/[^/]+\/testing\//.test(path);
}

function lengthViolations(path: string, source: string): string[] {
  const lines = source.replace(/\n$/, '').split('\n').length;
  if (isTest(path) || lines <= longestFile) return [];
  return [`${path}: ${lines} lines, at most ${longestFile} are allowed`];
}

function importProblem(home: Place, { specifier, kind }: Import, files: ReadonlyMap<string, string>) {
  if (specifier === undefined) return "imports a computed path, which can't be checked";
  const from = partName(home);
  const target = targetOf(home, specifier, files);
  switch (target.kind) {
    case 'file':
      return fileProblem(home, placeOf(target.path), kind, specifier);
    case 'package': {
      const allowed = isTest(home.path) ? home.rule.mayImportPackages : (home.part.mayImportPackages ?? []);
      if (allowed.includes(target.folder)) return undefined;
      if (target.isOpen && home.rule.mayImportPackages.includes(target.folder)) return undefined;
      return `imports the package ${specifier}: ${from} may import ${listed(allowed)} of the other packages`;
    }
    case 'builtin':
      if (isTest(home.path) || home.part.builtins === 'allowed') return undefined;
      return `imports ${specifier}: ${from} may not use modules of Node`;
    case 'npm': {
      const allowed = [...(home.part.npm ?? []), ...(home.part.npmByFolder?.[home.folder] ?? [])];
      if (isTest(home.path) || allowed.includes(target.name)) return undefined;
      return `imports ${specifier}: ${from} may import ${listed(allowed)} from npm`;
    }
  }
}

function fileProblem(home: Place, target: Place | undefined, kind: Import['kind'], specifier: string) {
  const from = partName(home);
  if (target === undefined) return `imports ${specifier}, which no part covers`;
  if (isTest(home.path) && isTesting(target.path)) return undefined;
  if (target.rule !== home.rule) return `imports ${specifier}: another package is imported by its name`;
  if (isTest(home.path)) return undefined;
  if (isTest(target.path) && home.part.imports !== 'tests') return `imports ${specifier}: only tests may import tests`;
  const { part } = home;
  if (target.part === part) {
    if (target.folder === home.folder) return undefined;
    if (part.siblings === 'earlier' && target.folder < home.folder) return undefined;
    const allowed = part.siblings === 'earlier' ? 'may import only earlier siblings' : 'may not import its siblings';
    return `imports ${partName(target)} (${specifier}): ${from} ${allowed}`;
  }
  const importers = target.part.importedByParts;
  if (importers !== undefined && !importers.includes(part.name)) {
    return `imports ${partName(target)} (${specifier}): ${listed(importers)} may import it`;
  }
  if (part.mayImport === 'everything' || part.mayImport.includes(target.part.name)) return undefined;
  const typesOnly = part.mayImportTypes ?? [];
  if (typesOnly.includes(target.part.name)) {
    return kind === 'type' ? undefined : `imports ${specifier}: ${from} may only \`import type\` from it`;
  }
  const allowed = [...part.mayImport, ...typesOnly];
  return `imports ${partName(target)} (${specifier}): ${from} may import ${listed(allowed)}`;
}

function partName({ rule, part, folder }: Place): string {
  return [rule.folder, part.name, folder].filter((word) => word !== '').join('/');
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : `only ${names.join(', ')}`;
}

type Target =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'package'; readonly folder: string; readonly isOpen: boolean }
  | { readonly kind: 'builtin' }
  | { readonly kind: 'npm'; readonly name: string };

function targetOf(home: Place, specifier: string, files: ReadonlyMap<string, string>): Target {
  if (/^\.{0,2}\//.test(specifier) || specifier === '.' || specifier === '..') {
    return { kind: 'file', path: sourceOf(posix.join(posix.dirname(home.path), specifier), files) };
  }
  if (isBuiltin(specifier)) return { kind: 'builtin' };
  const [first = '', second = '', ...rest] = specifier.split('/');
  const isScoped = first.startsWith('@');
  const name = isScoped ? `${first}/${second}` : first;
  const subpath = (isScoped ? rest : [second, ...rest]).join('/');
  const rule = packages.find((candidate) => candidate.name === name);
  if (rule === undefined) return { kind: 'npm', name };
  if (rule !== home.rule) {
    return { kind: 'package', folder: rule.folder, isOpen: rule.importedBy === 'every part' };
  }
  return { kind: 'file', path: `packages/${rule.folder}/src/${subpath}.ts` };
}

/** A relative import may name the JavaScript that a source file becomes. */
function sourceOf(path: string, files: ReadonlyMap<string, string>): string {
  const source = path.replace(/js(x?)$/, 'ts$1');
  return files.has(source) ? source : path;
}

function runtimeTargets(home: Place, imports: readonly Import[], files: ReadonlyMap<string, string>): string[] {
  return imports.flatMap(({ specifier, kind }) => {
    if (specifier === undefined || kind === 'type') return [];
    const target = targetOf(home, specifier, files);
    return target.kind === 'file' ? [target.path] : [];
  });
}

/** Each cycle that a depth-first walk closes, from its first file back to it. */
function cyclesIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}
