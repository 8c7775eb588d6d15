import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, rmSync, statSync, utimesSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { frame } from '../worker/wire.ts';

export interface CoreCacheOptions {
  readonly folder: string;
  readonly program: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The worker's Lisp. */
  readonly source: () => string;
  /** Changes with the source. */
  readonly fingerprint: string;
  /** The command line of an SBCL that loads the source from descriptor 3 and saves itself into a file. */
  readonly save: (file: string) => readonly string[];
}

/** Keeps the name of a core, also while it is made, below the 255 bytes that file systems allow. */
const MAX_PLACE = 120;
const UNFINISHED_MS = 10 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const UNUSED_MS = 30 * DAY_MS;

/**
 * Saved cores with the worker in them, which start an order of magnitude faster than the source is loaded. A core is made
 * in the background and gets its name when it is complete; the name says what it was made from.
 */
export class CoreCache {
  readonly #options: CoreCacheOptions;
  #path: string | undefined;
  #building: Promise<void> | undefined;

  constructor(options: CoreCacheOptions) {
    this.#options = options;
  }

  /** The core to start from. Undefined if there is none yet; then one is being made. */
  core(): string | undefined {
    const path = this.#corePath();
    if (path === undefined) return undefined;
    if (isPrivateFile(path)) {
      keepFresh(path);
      return path;
    }
    this.build();
    return undefined;
  }

  /** Makes the core, unless that has begun or failed before. Resolves when that has ended. */
  build(): Promise<void> {
    this.#building ??= this.#build();
    return this.#building;
  }

  /** Removes a core that does not start, and makes another. */
  discard(core: string): void {
    rmSync(core, { force: true });
    this.#building = undefined;
    this.build();
  }

  /** Undefined when there is nothing at the path of the program. */
  #corePath(): string | undefined {
    const { folder, program, fingerprint } = this.#options;
    if (this.#path !== undefined) return this.#path;
    try {
      // Another version of SBCL is usually another file. If the program is a script, SBCL itself rejects a core of
      // another version, and the core is discarded like any that does not start.
      const runtime = realpathSync(program);
      const { size, mtimeMs } = statSync(runtime);
      const place = encodeURIComponent(runtime).slice(-MAX_PLACE);
      this.#path = join(folder, `sbcl-${fingerprint}-${size}-${Math.trunc(mtimeMs)}-${place}.core`);
      return this.#path;
    } catch {
      return undefined;
    }
  }

  async #build(): Promise<void> {
    const path = this.#corePath();
    if (path === undefined) return;
    try {
      const { folder } = this.#options;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      sweep(folder);
      await this.#save(`${path}.${process.pid}.unfinished`, path);
    } catch {
      // The source is loaded instead, each time.
    }
  }

  #save(unfinished: string, path: string): Promise<void> {
    const { program, environment, save, source } = this.#options;
    const args = ['-c', SAVE_AND_RENAME, 'hawser', unfinished, path, program, ...save(unfinished)];
    return new Promise((resolve, reject) => {
      const stdio = ['ignore', 'ignore', 'ignore', 'pipe'] as const;
      const child = spawn('/bin/sh', args, { env: environment, stdio: [...stdio], detached: true });
      const wire = child.stdio[3];
      if (!(wire instanceof Socket)) return reject(new Error('SBCL has no descriptor 3'));
      wire.on('error', () => undefined);
      wire.write(frame(source()));
      // A server that ends meanwhile does not wait for it, and the core is there for the next one.
      wire.unref();
      child.unref();
      child.once('error', reject);
      child.once('exit', () => resolve());
    });
  }
}

const SAVE_AND_RENAME =
  'unfinished=$1 path=$2; shift 2; umask 077; if "$@"; then mv -f "$unfinished" "$path"; else rm -f "$unfinished"; fi';

/** A core is a program: it is used only if no other user can have written it. */
function isPrivateFile(path: string): boolean {
  try {
    const { uid, mode, size } = statSync(path);
    const isOurs = uid === (process.getuid?.() ?? uid);
    return isOurs && (mode & 0o022) === 0 && size > 0;
  } catch {
    return false;
  }
}

/** Cores are swept by their time, so one that is used gets a new one once a day. */
function keepFresh(path: string): void {
  try {
    if (Date.now() - statSync(path).mtimeMs > DAY_MS) utimesSync(path, new Date(), new Date());
  } catch {
    // It is used all the same.
  }
}

/** Removes unfinished cores of builds that were killed, and cores that were not used for long. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const maxAge = name.endsWith('.unfinished') ? UNFINISHED_MS : name.endsWith('.core') ? UNUSED_MS : Infinity;
    const path = join(folder, name);
    // Another server may have removed it meanwhile.
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > maxAge) rmSync(path, { force: true });
  }
}
