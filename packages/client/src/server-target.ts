import { readFileSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { suggestion } from '@hawser/command-line/suggestion';
import { withParents } from '@hawser/user-files/real-folders';
import { serversIn, targetOf } from './configured-servers.ts';
import type { Expansion } from './expand-variables.ts';
import { PROGRAMS } from './program-files.ts';
import { type Target, TargetProblem } from './target.ts';
import type { TargetPlaces } from './target-places.ts';

export interface ServerChoice {
  readonly name: string;
  /** The configuration file; undefined: the usual ones. */
  readonly config: string | undefined;
}

/** The server of that name in a configuration file. Throws a TargetProblem if there is none. */
export function serverTarget({ name, config }: ServerChoice, places: TargetPlaces): Target {
  const folders = withParents(places.cwd);
  const files = config === undefined ? usualFiles(places, folders) : [resolve(places.cwd, config)];
  const known: string[] = [];
  for (const path of files) {
    const text = textOf(path, config !== undefined);
    if (text === undefined) continue;
    const servers = serversIn(path, text, folders);
    const entry = servers.get(name);
    if (entry !== undefined) return targetOf(name, entry, expansionOf(path, places));
    known.push(...servers.keys());
  }
  const names = [...new Set(known)].sort();
  const hint = names.length === 0 ? '' : ` Known servers: ${names.join(', ')}.${suggestion(name, names)}`;
  const where = config === undefined ? 'No configuration file here or of this user has' : `${files[0]} does not have`;
  throw new TargetProblem(`${where} a server ${name}.${hint}`);
}

/** An entry of a configuration file. */
export interface ConfiguredServer {
  readonly name: string;
  readonly config: string;
  /** A TargetProblem if the entry can't be used. */
  readonly target: Target | TargetProblem;
}

/** Every server that `--server` finds. An entry that a nearer file hides is left out; `problems` are files that can't be read. */
export function listServers(places: TargetPlaces): { servers: ConfiguredServer[]; problems: string[] } {
  const folders = withParents(places.cwd);
  const servers = new Map<string, ConfiguredServer>();
  const problems: string[] = [];
  for (const config of usualFiles(places, folders)) {
    const found = orProblem(() => {
      const text = textOf(config, false);
      return text === undefined ? new Map<string, never>() : serversIn(config, text, folders);
    });
    if (found instanceof TargetProblem) {
      problems.push(found.message);
      continue;
    }
    const expansion = expansionOf(config, places);
    for (const [name, entry] of found) {
      if (servers.has(name)) continue;
      servers.set(name, { name, config, target: orProblem(() => targetOf(name, entry, expansion)) });
    }
  }
  return { servers: [...servers.values()], problems };
}

function orProblem<T>(read: () => T): T | TargetProblem {
  try {
    return read();
  } catch (error) {
    if (error instanceof TargetProblem) return error;
    throw error;
  }
}

/** A file of a project serves that project's folder, even if the command runs below it. */
function expansionOf(path: string, places: TargetPlaces): Expansion {
  const { variables, cwd, home } = places;
  const inProject = PROJECT_FILES.map((file) => join(sep, file)).find((file) => path.endsWith(file));
  const isOfProject = inProject !== undefined && !userFiles(places).includes(path);
  return {
    variables,
    workspaceFolder: isOfProject ? resolve(path.slice(0, -inProject.length) || sep) : cwd,
    home,
    bareNames: basename(path) === 'settings.json' ? 'expanded' : 'literal',
  };
}

/** The nearest first, those of the user last. */
function usualFiles(places: TargetPlaces, folders: readonly string[]): string[] {
  return [...folders.flatMap((folder) => PROJECT_FILES.map((file) => join(folder, file))), ...userFiles(places)];
}

function userFiles(places: TargetPlaces): string[] {
  return PROGRAMS.flatMap(({ userFile }) => userFile?.(places) ?? []);
}

const PROJECT_FILES = PROGRAMS.flatMap(({ projectFile }) => projectFile ?? []);

/** Undefined if a usual file does not exist. */
function textOf(path: string, isNamed: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!isNamed && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    throw new TargetProblem(`${path} can't be read: ${message}`);
  }
}
