import { lstat, readlink, realpath } from 'node:fs/promises';
import nodePath from 'node:path';

export type RefusalCode = 'outside' | 'denied' | 'paused' | 'malformed' | 'unreadable';

/** Why an agent may not name a path. The message is for the agent. */
export class PathRefused extends Error {
  override readonly name = 'PathRefused';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** No system takes longer ones, and each folder of a path is looked at. */
const MAX_CHARACTERS = 4096;
const MAX_FOLDERS = 256;

type PathFlavour = Pick<typeof nodePath.posix, 'relative' | 'isAbsolute' | 'parse' | 'sep'>;

/** Whether a path is the folder or inside it. Both are absolute and real. */
export function contains(folder: string, path: string, flavour: PathFlavour = nodePath): boolean {
  return relativeIn(folder, path, flavour) !== undefined;
}

/** A path relative to the folder of the workspace that contains it; others stay as they are. */
export function nameIn(folders: readonly string[], path: string): string {
  const folder = folders.find((each) => path.startsWith(`${each}/`));
  return folder === undefined ? path : path.slice(folder.length + 1);
}

/** Whether two absolute paths are on one drive or share. */
export function sameRoot(a: string, b: string, flavour: PathFlavour = nodePath): boolean {
  return flavour.parse(a).root.toLowerCase() === flavour.parse(b).root.toLowerCase();
}

/** The path relative to the folder, with a leading `/`; undefined if it is not in it. */
export function relativeIn(folder: string, path: string, flavour: PathFlavour = nodePath): string | undefined {
  const way = flavour.relative(folder, path);
  // Between two Windows drives the relative path is absolute.
  if (flavour.isAbsolute(way) || way === '..' || way.startsWith(`..${flavour.sep}`)) return undefined;
  return `/${way}`;
}

/**
 * The path that an agent wrote as an absolute one: relative paths are in `base`, `~` is `home`, and `file://` URLs may be
 * percent-encoded or not.
 */
export async function absolutePath(
  path: string,
  { base, home }: { readonly base: string | undefined; readonly home: string | undefined },
): Promise<string> {
  if (path.length > MAX_CHARACTERS || path.split(/[\\/]+/, MAX_FOLDERS + 2).length > MAX_FOLDERS + 1) {
    throw new PathRefused('malformed', `A path has at most ${MAX_CHARACTERS} characters and ${MAX_FOLDERS} folders`);
  }
  const plain = /^file:/i.test(path) ? await pathOfUrl(path) : path;
  if (plain === '') throw new PathRefused('malformed', 'No path given');
  if (plain.includes('\0')) throw new PathRefused('malformed', 'A path cannot contain a NUL byte');
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(plain)) throw new PathRefused('malformed', `Not a path or file URL: ${path}`);
  const isWindows = nodePath.sep === '\\';
  if (!isWindows && /^([a-z]:[\\/]|\\\\)/i.test(plain)) {
    throw new PathRefused('outside', `A Windows path on another system: ${path}`);
  }
  // `.env::$DATA` is another name of `.env`.
  if (isWindows && plain.slice(2).includes(':')) throw new PathRefused('malformed', `Not a path: ${path}`);
  if (plain === '~' || plain.startsWith('~/') || (isWindows && plain.startsWith('~\\'))) {
    if (home === undefined) throw new PathRefused('malformed', `The home folder is not known: ${path}`);
    return nodePath.resolve(home, `.${plain.slice(1)}`);
  }
  if (nodePath.isAbsolute(plain)) return nodePath.resolve(plain);
  if (base === undefined) throw new PathRefused('malformed', `A relative path without a workspace folder: ${path}`);
  return nodePath.resolve(base, plain);
}

/**
 * Claude Code writes `file://` and the raw path, others encode it: `%20` may be a space or three characters. The one that
 * exists is meant; if neither does, encoding is likelier than a percent sign in a name.
 */
async function pathOfUrl(url: string): Promise<string> {
  const rest = url.slice('file:'.length).replace(/^\/\/(localhost(?=\/))?/i, '');
  const raw = rest.replace(/^\/(?=[a-z]:[\\/])/i, nodePath.sep === '\\' ? '' : '/');
  if (!/^([\\/]|[a-z]:[\\/])/i.test(raw)) throw new PathRefused('malformed', `Not the URL of a local file: ${url}`);
  const decoded = decodedOnce(raw);
  if (decoded === undefined || decoded === raw || (!raw.includes('\0') && (await exists(raw)))) return raw;
  return decoded;
}

function decodedOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

/** Symbolic links resolved. A path that does not exist yet is resolved from its nearest existing parent. */
export async function realPath(path: string, linksLeft = 40): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw unresolvable(path, codeOf(error), error);
  }
  const { found, rest } = await nearestExisting(path);
  const target = await readlink(found).catch(() => undefined);
  const real = target === undefined ? undefined : await realpath(found).catch(() => undefined);
  if (target === undefined || real !== undefined) return nodePath.join(real ?? (await realPath(found)), ...rest);
  // Writing to a link without a target creates the file that it names.
  if (linksLeft === 0) throw unresolvable(path, 'too many symbolic links', undefined);
  const parent = await realPath(nodePath.dirname(found), linksLeft - 1);
  return nodePath.join(await realPath(nodePath.resolve(parent, target), linksLeft - 1), ...rest);
}

/** The longest start of a path that exists, perhaps as a link without a target, and the names after it. */
async function nearestExisting(path: string): Promise<{ readonly found: string; readonly rest: readonly string[] }> {
  const { root } = nodePath.parse(path);
  const names = path.slice(root.length).split(nodePath.sep);
  const start = (count: number) => nodePath.join(root, ...names.slice(0, count));
  // What is below a folder that does not exist does not exist.
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (await exists(start(middle))) low = middle;
    else high = middle - 1;
  }
  return { found: start(low), rest: names.slice(low) };
}

function unresolvable(path: string, why: string, cause: unknown): PathRefused {
  return new PathRefused('unreadable', `Cannot resolve ${path}: ${why}`, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
