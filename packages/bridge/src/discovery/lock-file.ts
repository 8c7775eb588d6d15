import { type FSWatcher, watch as nodeWatch, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asError } from '@hawser/unknown-values/thrown';
import { makePrivateFolder, namesIn, readOwnFile, writePrivateFile } from '@hawser/user-files/private-file';
import type { ReadLock } from './lock.ts';
import { forgetLock, type LockOwner, recordLock } from './lock-record.ts';

/** A file by which agents find us, there for as long as it is open. */
export interface LockFile {
  readonly path: string;
  /** Something about its folder that the user should know. */
  readonly warning: Error | undefined;
  /** Replaces the content. Throws if it can't be written. */
  update(content: string): void;
  /** Removes the file, unless another program has replaced it. Synchronous, so that exit handlers can call it. Safe to call twice. */
  close(): void;
}

export interface LockFileOptions {
  readonly directory: string;
  readonly name: string;
  readonly content: string;
  /** Whether the text that replaced ours is that of a live owner; then it stays. See `heldByAnother`. */
  readonly isTaken: (text: string) => boolean;
  /** Recorded in the state folder for as long as the file is there, so that a later start can sweep it after a crash. */
  readonly owner?: LockOwner;
  readonly onEvent?: (event: LockFileEvent) => void;
  /** Whether an empty folder is removed at the end: only if we made it (default), or always. */
  readonly emptyFolder?: 'removed if made' | 'removed';
  /** Milliseconds between checks of the file, for changes that the watcher misses. */
  readonly pollEvery?: number;
  /** Milliseconds to wait after restoring it, so that a program that keeps removing it does not keep us busy. */
  readonly restFor?: number;
  /** Watches a folder; throws where that cannot be done. */
  readonly watch?: WatchFolder;
}

export type LockFileEvent =
  /** The file was deleted or replaced, and has been restored. */
  | { readonly kind: 'restored' }
  /** A different live owner has it. */
  | { readonly kind: 'taken' }
  /** Called once per reason when the file cannot be restored or removed. */
  | { readonly kind: 'failed'; readonly error: Error };

export type WatchFolder = (directory: string, changed: (name: string | null) => void) => Watching;

export interface Watching {
  close(): void;
  /** Calls the listener when watching has ended by itself. */
  onEnd(listener: () => void): void;
}

/**
 * Writes the file, replacing what is there: it belongs to the program that listens on the port. Throws if it can't.
 * Does not keep the process running.
 */
export function openLockFile(options: LockFileOptions): LockFile {
  const { directory, name, isTaken, onEvent = () => {}, pollEvery = 5000, restFor = 1000 } = options;
  const path = join(directory, name);
  let content = options.content;
  let isClosed = false;
  let madeFolder = false;
  let watching: Watching | undefined;
  let rest: NodeJS.Timeout | undefined;
  let lastKey = '';

  function report(event: LockFileEvent, details = ''): void {
    const key = `${event.kind} ${details}`;
    if (event.kind !== 'restored' && key === lastKey) return;
    lastKey = key;
    onEvent(event);
  }

  function put(): Error | undefined {
    const folder = makePrivateFolder(directory);
    madeFolder ||= folder.wasMade;
    if (options.emptyFolder === 'removed') ignoreInGit(directory);
    // Before the file is written, so that nothing that happens to it afterwards is missed.
    watchAgain();
    if (options.owner !== undefined) recordLock(path, options.owner);
    writePrivateFile(path, content);
    return folder.warning;
  }

  function watchAgain(): void {
    watching?.close();
    watching = undefined;
    try {
      const started = (options.watch ?? watchFolder)(directory, (changed) => {
        if (changed === null || changed === name || changed === basename(directory)) check();
      });
      started.onEnd(() => {
        if (watching === started) watching = undefined;
      });
      watching = started;
    } catch {
      // Polling goes on, and tries to watch again.
    }
  }

  function check(): void {
    if (isClosed || rest !== undefined) return;
    const found = readOwnFile(path);
    if (found === content) return;
    if (typeof found === 'string' && isTaken(found)) {
      report({ kind: 'taken' }, found);
      return;
    }
    rest = setTimeout(() => {
      rest = undefined;
      check();
    }, restFor).unref();
    try {
      put();
      report({ kind: 'restored' });
    } catch (error) {
      fail(error);
    }
  }

  function fail(error: unknown): void {
    const failure = asError(error);
    report({ kind: 'failed', error: failure }, failure.message);
  }

  const warning = put();
  const poll = setInterval(() => {
    if (watching === undefined) watchAgain();
    check();
  }, pollEvery).unref();

  return {
    path,
    warning,
    update(next) {
      if (isClosed || next === content) return;
      const found = readOwnFile(path);
      const isOthers = typeof found === 'string' && found !== content && isTaken(found);
      content = next;
      if (isOthers) report({ kind: 'taken' }, found);
      else put();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(poll);
      clearTimeout(rest);
      watching?.close();
      try {
        if (readOwnFile(path) === content) unlinkSync(path);
        if (options.owner !== undefined) forgetLock(path, options.owner);
        if (options.emptyFolder === 'removed') removeGitIgnore(directory);
      } catch (error) {
        fail(error);
      }
      if (madeFolder || options.emptyFolder === 'removed') removeIfEmpty(directory);
    },
  };
}

/** For `isTaken`: a lock of a process that lives and is not the one that our own lock names. */
export function heldByAnother(options: {
  readonly name: string;
  readonly read: ReadLock;
  /** The process that our lock names. */
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
}): (text: string) => boolean {
  return (text) => {
    const lock = options.read(options.name, text);
    if (lock === undefined || lock instanceof Error || lock.pid === undefined) return false;
    return lock.pid !== options.pid && options.isAlive(lock.pid);
  };
}

function watchFolder(directory: string, changed: (name: string | null) => void): Watching {
  const watcher: FSWatcher = nodeWatch(directory, { persistent: false }, (_event, name) => changed(name));
  let ended = () => {};
  watcher.on('error', () => {
    watcher.close();
    ended();
  });
  return {
    close: () => watcher.close(),
    onEnd: (listener) => {
      ended = listener;
    },
  };
}

/** The folder may be in a repository, and what is in it has a token. */
const GIT_IGNORE = '*\n';

function ignoreInGit(directory: string): void {
  const path = join(directory, '.gitignore');
  if (readOwnFile(path) !== GIT_IGNORE) writePrivateFile(path, GIT_IGNORE);
}

/** Unless other lock files need it. */
function removeGitIgnore(directory: string): void {
  const path = join(directory, '.gitignore');
  if (namesIn(directory).length === 1 && readOwnFile(path) === GIT_IGNORE) rmSync(path, { force: true });
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Others have put something in it: it stays.
  }
}
