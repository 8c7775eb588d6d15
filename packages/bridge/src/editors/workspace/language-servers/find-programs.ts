import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { PROGRAMS, type ProgramRow } from './program-table.ts';

export interface SearchOptions {
  /** `auto` looks in the workspace first, then on the search path; `path` on the search path only. */
  readonly find: 'auto' | 'path';
  /** Folders, as in PATH. */
  readonly searchPath: string;
  /** Whether programs of this workspace folder may be run. Asked at each search. Default: those of every folder. */
  readonly isTrusted?: (workspaceFolder: string) => boolean;
  /** Default `PROGRAMS`. */
  readonly programs?: readonly ProgramRow[];
}

export interface FoundProgram {
  readonly row: ProgramRow;
  /** Of the program, as it is started. */
  readonly path: string;
  /** Where it runs. */
  readonly folder: string;
  /** If the program is part of an npm package. */
  readonly version: string | undefined;
}

/** Where projects install programs of their own. */
export const PROJECT_FOLDERS = ['node_modules/.bin', '.venv/bin', 'venv/bin'];

/** Looks for programs. What is found on disk is remembered as long as the search. */
export class ProgramSearch {
  readonly #options: SearchOptions;
  readonly #executables = new Map<string, Promise<boolean>>();

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /**
   * The programs for files of a language in a folder, by group, the preferred one of each group first. Only folders of the
   * workspace are searched, from the file upward, and those of the search path.
   */
  async find(language: string, from: string, workspaceFolder: string): Promise<readonly (readonly FoundProgram[])[]> {
    const isTrusted = this.isTrusted(workspaceFolder);
    const own = isTrusted ? this.#ownPlaces(from, workspaceFolder) : [];
    // An empty or relative entry means the current folder, which may be the workspace. npm puts the programs of a project on
    // the search path of what it runs.
    const onPath = this.#options.searchPath
      .split(delimiter)
      .filter((place) => isAbsolute(place) && (isTrusted || !isInside(place, workspaceFolder)));
    return await this.#findIn([...own, ...onPath], language, from, workspaceFolder);
  }

  /** The programs of a workspace that `find` leaves out, because it is not trusted. */
  async findUntrusted(language: string, from: string, workspaceFolder: string): Promise<readonly FoundProgram[]> {
    if (this.isTrusted(workspaceFolder)) return [];
    const groups = await this.#findIn(this.#ownPlaces(from, workspaceFolder), language, from, workspaceFolder);
    return groups.flatMap(([preferred]) => preferred ?? []);
  }

  isTrusted(workspaceFolder: string): boolean {
    return this.#options.isTrusted?.(workspaceFolder) ?? true;
  }

  /** The nearest first. */
  #ownPlaces(from: string, workspaceFolder: string): readonly string[] {
    if (this.#options.find === 'path') return [];
    return foldersUpward(from, workspaceFolder).flatMap((folder) => PROJECT_FOLDERS.map((bin) => join(folder, bin)));
  }

  async #findIn(
    places: readonly string[],
    language: string,
    from: string,
    workspaceFolder: string,
  ): Promise<readonly (readonly FoundProgram[])[]> {
    const { programs = PROGRAMS } = this.#options;
    const folders = foldersUpward(from, workspaceFolder);
    const rows = programs.filter(({ languages }) => languages.includes(language));
    const found = await Promise.all(
      rows.map(async (row) => {
        const folder = await rootOf(row, folders, workspaceFolder);
        return folder === undefined ? undefined : await this.#locate(row, folder, places);
      }),
    );
    const groups = new Map<string, { readonly program: FoundProgram; readonly rank: number }[]>();
    for (const each of found) {
      if (each === undefined) continue;
      const { group, kind } = each.program.row;
      const rank = each.place + (kind === 'server' ? 0 : places.length);
      groups.set(group, [...(groups.get(group) ?? []), { program: each.program, rank }]);
    }
    // Sorting is stable, so the order of the table decides between equals.
    return [...groups.values()].map((group) =>
      group.sort((one, other) => one.rank - other.rank).map(({ program }) => program),
    );
  }

  async #locate(row: ProgramRow, folder: string, places: readonly string[]) {
    for (const [place, bin] of places.entries()) {
      const path = join(bin, row.command[0]);
      if (!(await this.#isExecutable(path))) continue;
      const npm = await npmPackageOf(path);
      if (!isWanted(row, npm)) continue;
      return { program: { row, path, folder, version: npm?.version }, place };
    }
    return undefined;
  }

  #isExecutable(path: string): Promise<boolean> {
    const answer = this.#executables.get(path) ?? isExecutable(path);
    this.#executables.set(path, answer);
    return answer;
  }
}

/** The nearest first; the workspace folder is the last. */
function foldersUpward(from: string, workspaceFolder: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = from; isInside(folder, workspaceFolder); folder = dirname(folder)) {
    folders.push(folder);
    if (folder === workspaceFolder) break;
  }
  return folders.length === 0 ? [workspaceFolder] : folders;
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !way.startsWith('..\\') && !isAbsolute(way);
}

async function rootOf(
  { rootFiles }: ProgramRow,
  folders: readonly string[],
  workspaceFolder: string,
): Promise<string | undefined> {
  if (rootFiles === undefined) return workspaceFolder;
  for (const name of rootFiles) {
    for (const folder of folders) {
      if ((await stat(join(folder, name)).catch(() => undefined))?.isFile()) return folder;
    }
  }
  return undefined;
}

function isWanted({ versions }: ProgramRow, npm: NpmPackage | undefined): boolean {
  if (versions === undefined) return true;
  if (npm?.name !== versions.package) return false;
  const major = Number.parseInt(npm.version, 10);
  return major >= (versions.from ?? 0) && major < (versions.below ?? Number.POSITIVE_INFINITY);
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

interface NpmPackage {
  readonly name: string;
  readonly version: string;
}

/** The package that a program in `node_modules/.bin`, or one linked from there, belongs to. */
async function npmPackageOf(path: string): Promise<NpmPackage | undefined> {
  const real = await realpath(path).catch(() => path);
  if (!real.includes('node_modules')) return undefined;
  for (let folder = dirname(real); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    try {
      const { name, version } = JSON.parse(text) as { readonly name?: unknown; readonly version?: unknown };
      // A package.json without them only says which kind of modules a folder has.
      if (typeof name === 'string' && typeof version === 'string') return { name, version };
    } catch {
      return undefined;
    }
  }
  return undefined;
}
