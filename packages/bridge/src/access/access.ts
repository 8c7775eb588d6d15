import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import nodePath from 'node:path';
import { ignoreRules } from './glob.ts';

/** Decides which paths agents may name and whose text they may have. The disk is asked anew for each answer. */
export interface Access {
  /** The workspace; may be set when it changes. */
  folders: readonly string[];
  /** While true, `resolve` and `admit` refuse everything. What is sent unasked is for its sender to withhold. */
  paused: boolean;
  /** For what names no path: throws a PathRefused while paused. */
  admit(): void;
  /** Calls the listener whenever `paused` changes, until the returned function is called. */
  subscribe(listener: (paused: boolean) => void): () => void;
  /**
   * The absolute path, symbolic links resolved, of what an agent named: a path, relative ones in the first folder, or a
   * `file://` URL, percent-encoded or not. Rejects with a PathRefused. To `read` and to `diff` is to send text, so
   * denied files are refused; to `open` is only to show it to the person.
   */
  resolve(path: string, options: { readonly for: Purpose }): Promise<string>;
  /** The text of this file must never be sent. Also true of a path that nobody can make sense of. */
  isDenied(path: string): boolean;
}

export type Purpose = 'read' | 'open' | 'diff';

export interface AccessOptions {
  readonly folders: readonly string[];
  /** Folders outside the workspace that agents may name as well. Denied files stay denied. */
  readonly allowOutside?: readonly string[] | 'everywhere' | undefined;
  /**
   * Patterns as in `.gitignore`, after `DENIED_BY_DEFAULT`: `!.env.example` shares that file. `/a` is in a workspace
   * folder or in the root of the disk, `~/a` in the home folder.
   */
  readonly deny?: readonly string[] | undefined;
  /** What `~` stands for; refused when absent. */
  readonly home?: string | undefined;
}

export const DENIED_BY_DEFAULT: readonly string[] = [
  '.env',
  '.env.*',
  '*.pem',
  '*.key',
  'id_rsa*',
  'id_ed25519*',
  '*.p12',
  '*.keystore',
  '.netrc',
  '.npmrc',
  '.ssh/',
  '.aws/',
  '.gnupg/',
];

/** Throws when a pattern is not one. */
export function makeAccess({ folders, allowOutside = [], deny = [], home }: AccessOptions): Access {
  if (home === undefined && deny.some((pattern) => pattern.startsWith('~'))) {
    throw new Error(`The home folder is not known: ${deny.join(', ')}`);
  }
  const patterns = [...DENIED_BY_DEFAULT, ...deny.map(withSlashes)];
  const isMatched = ignoreRules(patterns.flatMap((pattern) => [pattern, ...withRealStart(pattern)]));
  const listeners = new Set<(paused: boolean) => void>();
  let given = folders;
  let paused = false;

  const admit = () => {
    if (paused) throw new PathRefused('paused', 'Paused: the user lets no agent in at the moment');
  };
  const roots = () => [...given, ...(allowOutside === 'everywhere' ? [] : allowOutside)].map(asAbsolute);
  const homes = () => (home === undefined ? [] : [home, realFolder(home)]);
  const understood = (path: string) => absolutePath(path, { base: given[0], home });
  const isDeniedAt = (path: string) => {
    const inFolders = given.map(realFolder).flatMap((folder) => relativeIn(folder, path) ?? []);
    const inHome = homes()
      .flatMap((folder) => relativeIn(folder, path) ?? [])
      .map((way) => `~${way}`);
    const views = [path, ...inFolders, ...inHome];
    return isMatched(views.map(withSlashes));
  };

  return {
    get folders() {
      return given;
    },
    set folders(next) {
      given = next;
    },
    get paused() {
      return paused;
    },
    set paused(next) {
      if (paused === next) return;
      paused = next;
      for (const listener of [...listeners]) listener(next);
    },
    subscribe(listener) {
      // Of its own, so that one function given twice is two listeners.
      const own = (now: boolean) => listener(now);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    admit,
    async resolve(path, options) {
      admit();
      const named = understood(path);
      // Before the disk is asked: on Windows to look at \\server\share is to log in there.
      const isReachable = allowOutside === 'everywhere' || roots().some((root) => sameRoot(root, named));
      if (!isReachable) throw outside(path);
      const real = realPath(named);
      const isInside = allowOutside === 'everywhere' || roots().some((root) => contains(realFolder(root), real));
      if (!isInside) throw outside(path);
      if (options.for !== 'open' && (isDeniedAt(named) || isDeniedAt(real))) {
        throw new PathRefused('denied', `Denied: the text of ${path} is never sent`);
      }
      return real;
    },
    isDenied(path) {
      try {
        const named = understood(path);
        return isDeniedAt(named) || isDeniedAt(realPath(named));
      } catch {
        return true;
      }
    },
  };
}

export type RefusalCode = 'outside' | 'denied' | 'paused' | 'malformed' | 'unreadable';

export class PathRefused extends Error {
  override readonly name = 'PathRefused';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

type PathFlavour = Pick<typeof nodePath.posix, 'relative' | 'isAbsolute' | 'parse' | 'sep'>;

/** Whether a path is the folder or in it. Both are absolute and real. */
export function contains(folder: string, path: string, flavour: PathFlavour = nodePath): boolean {
  return relativeIn(folder, path, flavour) !== undefined;
}

/** Whether two absolute paths are on one drive or share. */
export function sameRoot(a: string, b: string, flavour: PathFlavour = nodePath): boolean {
  return flavour.parse(a).root.toLowerCase() === flavour.parse(b).root.toLowerCase();
}

/** The path as seen from the folder, beginning with a `/`; undefined when it is elsewhere. */
function relativeIn(folder: string, path: string, flavour: PathFlavour = nodePath): string | undefined {
  const way = flavour.relative(folder, path);
  // Between two drives of Windows the way is an absolute path.
  if (flavour.isAbsolute(way) || way === '..' || way.startsWith(`..${flavour.sep}`)) return undefined;
  return `/${way}`;
}

function absolutePath(path: string, { base, home }: { base: string | undefined; home: string | undefined }): string {
  const plain = /^file:/i.test(path) ? pathOfUrl(path) : path;
  if (plain === '') throw new PathRefused('malformed', 'No path given');
  if (plain.includes('\0')) throw new PathRefused('malformed', 'A path cannot contain a NUL byte');
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(plain)) throw new PathRefused('malformed', `Not a path or file URL: ${path}`);
  const isWindows = nodePath.sep === '\\';
  if (!isWindows && /^([a-z]:[\\/]|\\\\)/i.test(plain)) {
    throw new PathRefused('outside', `A path of Windows, which this is not: ${path}`);
  }
  // `.env::$DATA` is another name of `.env`.
  if (isWindows && plain.slice(2).includes(':')) throw new PathRefused('malformed', `No path: ${path}`);
  if (plain === '~' || plain.startsWith('~/') || (isWindows && plain.startsWith('~\\'))) {
    if (home === undefined) throw new PathRefused('malformed', `The home folder is not known: ${path}`);
    return nodePath.resolve(home, `.${plain.slice(1)}`);
  }
  if (nodePath.isAbsolute(plain)) return nodePath.resolve(plain);
  if (base === undefined) throw new PathRefused('malformed', `A relative path, and no workspace folder: ${path}`);
  return nodePath.resolve(base, plain);
}

/**
 * Claude Code writes `file://` and the raw path, others encode it: `%20` may be a space or three characters. The file
 * that exists is meant; if neither does, encoding is likelier than a percent sign in a name.
 */
function pathOfUrl(url: string): string {
  const rest = url.slice('file:'.length).replace(/^\/\/(localhost(?=\/))?/i, '');
  const raw = rest.replace(/^\/(?=[a-z]:[\\/])/i, nodePath.sep === '\\' ? '' : '/');
  if (!/^([\\/]|[a-z]:[\\/])/i.test(raw)) throw new PathRefused('malformed', `Not the URL of a local file: ${url}`);
  const decoded = decodedOnce(raw);
  if (decoded === undefined || decoded === raw || (!raw.includes('\0') && exists(raw))) return raw;
  return decoded;
}

function decodedOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Symbolic links resolved; what does not exist yet is where its nearest existing parent really is. */
function realPath(path: string, linksLeft = 40): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      throw new PathRefused('unreadable', `Cannot resolve ${path}: ${codeOf(error)}`, { cause: error });
    }
  }
  const target = linkTarget(path);
  const parent = nodePath.dirname(path);
  if (target === undefined) {
    return parent === path ? path : nodePath.join(realPath(parent, linksLeft), nodePath.basename(path));
  }
  // To write to a link that leads nowhere is to make the file that it names.
  if (linksLeft === 0) throw new PathRefused('unreadable', `Cannot resolve ${path}: too many symbolic links`);
  return realPath(nodePath.resolve(realPath(parent, linksLeft - 1), target), linksLeft - 1);
}

function linkTarget(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
}

/** `/tmp/a/**` as it is seen once links are resolved, where `/tmp` is one. */
function withRealStart(pattern: string): string[] {
  const [, not = '', start, rest] = /^(!?)(\/[^*?]+)(\/.*)$/.exec(pattern) ?? [];
  if (start === undefined || rest === undefined) return [];
  const real = withSlashes(realPath(start));
  return real === start || /[*?[\]{}]/.test(real) ? [] : [not + real + rest];
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function realFolder(folder: string): string {
  return realPath(asAbsolute(folder));
}

function asAbsolute(folder: string): string {
  return nodePath.resolve(folder);
}

function withSlashes(path: string): string {
  return path.replaceAll(nodePath.sep, '/');
}

function outside(path: string): PathRefused {
  return new PathRefused('outside', `Outside the workspace: ${path}`);
}
