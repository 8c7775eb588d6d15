import nodePath from 'node:path';
import { makeDenyList } from './deny-list.ts';
import { absolutePath, contains, PathRefused, realPath, sameRoot } from './paths.ts';

/**
 * The one answer to "may an agent see or name this path now?". Agents see files in the workspace, never the text of
 * denied files, and nothing while paused.
 */
export interface Access {
  /** The workspace. Set it when the workspace changes. */
  folders: readonly string[];
  /** The user's own patterns of files that are never sent. */
  readonly deny: readonly string[];
  /** While true, everything is refused. */
  paused: boolean;
  /** For requests that name no path: throws a PathRefused while paused. */
  requireResumed(): void;
  /** Calls the listener after `paused` or `folders` has changed, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /**
   * The absolute path, symbolic links resolved, of what an agent named: a path, relative to the first folder, or a
   * `file://` URL, percent-encoded or not. Asks the disk each time. Rejects with a PathRefused. `read` and `diff` send
   * text, so denied files are refused; `open` only shows the file to the user.
   */
  resolve(path: string, options: { readonly for: Purpose }): Promise<string>;
  /** Whether agents see this file of the editor. Answers at once if it was asked within the last second. */
  visibility(path: string): Visibility | Promise<Visibility>;
}

export type Purpose = 'read' | 'open' | 'diff';
export type Visibility = 'visible' | 'paused' | 'outside' | 'denied';

export interface AccessOptions {
  readonly folders: readonly string[];
  /** Folders outside the workspace that agents may name as well. Denied files stay denied. */
  readonly allowOutside?: readonly string[] | 'everywhere' | undefined;
  /** Patterns as in `.gitignore`, after `DENIED_BY_DEFAULT`; see `makeDenyList`. */
  readonly deny?: readonly string[] | undefined;
  /** What `~` means; a path that starts with it is refused without this. */
  readonly home?: string | undefined;
}

const REMEMBER_MS = 1000;
const MAX_REMEMBERED = 1000;

/** Throws if a pattern of `deny` is not valid. */
export function makeAccess({ folders: first, allowOutside = [], deny = [], home }: AccessOptions): Access {
  if (home === undefined && deny.some((pattern) => pattern.startsWith('~'))) {
    throw new Error(`The home folder is not known: ${deny.join(', ')}`);
  }
  const isDenied = makeDenyList(deny);
  const listeners = new Set<{ readonly receive: () => void }>();
  const remembered = new Map<string, { answer: Visibility | Promise<Visibility>; readonly until: number }>();
  let folders = first;
  let paused = false;
  /** Counts rule changes: a check that was under way during one is run again. */
  let changes = 0;

  const roots = () =>
    [...folders, ...(allowOutside === 'everywhere' ? [] : allowOutside)].map((root) => nodePath.resolve(root));
  const realFolders = (given: readonly string[]) =>
    Promise.all(given.map((folder) => realPath(nodePath.resolve(folder))));
  const isInside = async (real: string) =>
    allowOutside === 'everywhere' || (await realFolders(roots())).some((root) => contains(root, real));
  const isDeniedAt = async (...paths: readonly string[]) => {
    const homes = home === undefined ? [] : [home, ...(await realFolders([home]))];
    const places = { folders: await realFolders(folders), homes };
    return paths.some((path) => isDenied(path, places));
  };
  const look = async (path: string): Promise<Visibility> => {
    try {
      const named = await absolutePath(path, { base: folders[0], home });
      const real = await realPath(named);
      if (!(await isInside(real))) return 'outside';
      return (await isDeniedAt(named, real)) ? 'denied' : 'visible';
    } catch {
      // Nothing can be said about this path, so nothing of it is sent.
      return 'denied';
    }
  };
  const changed = () => {
    changes += 1;
    remembered.clear();
    for (const { receive } of [...listeners]) receive();
  };
  const requireResumed = () => {
    if (paused) throw new PathRefused('paused', 'Paused by the user. Try again later.');
  };

  const visibility = (path: string): Visibility | Promise<Visibility> => {
    if (paused) return 'paused';
    const now = Date.now();
    const known = remembered.get(path);
    if (known !== undefined && known.until >= now) return known.answer;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const before = changes;
    const entry: { answer: Visibility | Promise<Visibility>; readonly until: number } = {
      answer: look(path).then((answer) => {
        entry.answer = answer;
        return changes === before ? answer : visibility(path);
      }),
      until: now + REMEMBER_MS,
    };
    remembered.set(path, entry);
    return entry.answer;
  };

  return {
    get folders() {
      return folders;
    },
    set folders(next) {
      folders = next;
      changed();
    },
    deny,
    get paused() {
      return paused;
    },
    set paused(next) {
      if (paused === next) return;
      paused = next;
      changed();
    },
    requireResumed,
    subscribe(receive) {
      const listener = { receive };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async resolve(path, options) {
      requireResumed();
      const named = await absolutePath(path, { base: folders[0], home });
      // Before the disk is asked: on Windows, looking at \\server\share logs in there.
      const isReachable = allowOutside === 'everywhere' || roots().some((root) => sameRoot(root, named));
      if (!isReachable) throw outside(path);
      const real = await realPath(named);
      if (!(await isInside(real))) throw outside(path);
      if (options.for !== 'open' && (await isDeniedAt(named, real))) {
        throw new PathRefused('denied', `Denied: the text of ${path} is never sent`);
      }
      // So that events about this file, which may follow at once, are not delayed.
      await visibility(real);
      // The user may have paused while the disk was asked.
      requireResumed();
      return real;
    },
    visibility,
  };
}

function outside(path: string): PathRefused {
  return new PathRefused('outside', `Outside the workspace: ${path}`);
}
