import { rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { isAlive } from '@hawser/user-files/alive';
import { machineName } from '@hawser/user-files/machine';
import { randomName } from '@hawser/user-files/names';
import { makePrivateFolder, namesIn, readOwnFile } from '@hawser/user-files/private-file';

/**
 * Temporary files beside the user's files. They are there because a rename works only within a file system, and only in
 * the same folder does a new file get that folder's group, access rules and security label. Each one is recorded in the
 * state folder before it exists, so that a later start removes it after a crash.
 */
export class TemporaryFiles {
  readonly #folder: string | undefined;

  /** Without a state folder nothing is recorded. */
  constructor(stateFolder: string | undefined) {
    this.#folder = stateFolder === undefined ? undefined : join(stateFolder, 'temporary');
  }

  /** Calls `use` with a free path in the folder of `path` that ends with `suffix`, and removes what is there after it. */
  async with<Result>(path: string, suffix: string, use: (file: TemporaryFile) => Promise<Result>): Promise<Result> {
    const id = randomName(12);
    const temporary = join(dirname(path), `.hawser-${id}${suffix}`);
    const record = await this.#record(id, { path: temporary });
    let isKept = false;
    try {
      return await use({
        path: temporary,
        keepFor: async (target) => {
          isKept = true;
          await this.#record(id, { path: temporary, keptFor: target });
        },
        release: () => {
          isKept = false;
        },
      });
    } finally {
      if (!isKept) await rm(temporary, { force: true });
      if (record !== undefined) await rm(record, { force: true });
    }
  }

  /** Removes what crashed processes of this machine left. Gives the files that hold the only whole text of another. */
  async clear(): Promise<readonly KeptFile[]> {
    const kept: KeptFile[] = [];
    for (const record of this.#folder === undefined ? [] : crashedRecords(this.#folder)) {
      const text = readOwnFile(record);
      const { path, keptFor } = (typeof text === 'string' ? parseObject(text) : undefined) ?? {};
      if (typeof path === 'string' && isTemporaryFile(path)) {
        if (typeof keptFor === 'string') kept.push({ path, keptFor });
        else await unlink(path).catch(() => undefined);
      }
      await rm(record, { force: true });
    }
    return kept;
  }

  async #record(
    id: string,
    content: { readonly path: string; readonly keptFor?: string },
  ): Promise<string | undefined> {
    if (this.#folder === undefined) return undefined;
    makePrivateFolder(this.#folder);
    const record = join(this.#folder, recordName(id));
    await writeFile(record, JSON.stringify(content), { mode: 0o600 });
    return record;
  }
}

export interface TemporaryFile {
  readonly path: string;
  /** From now on the file holds the only whole text of `target`: it stays, also after a crash, until `release`. */
  keepFor(target: string): Promise<void>;
  release(): void;
}

export interface KeptFile {
  readonly path: string;
  readonly keptFor: string;
}

/** Whether a path is one that `TemporaryFiles` made. */
export function isTemporaryFile(path: string): boolean {
  return /^\.hawser-[0-9a-f]{12}\./.test(basename(path));
}

/** The name of a file about what this process is doing. */
export function recordName(id = randomName(12)): string {
  return `${machineName()}-${process.pid}-${id}.json`;
}

/** The paths of such files in a folder that crashed processes of this machine left. */
export function crashedRecords(folder: string): readonly string[] {
  const machine = machineName();
  const names = namesIn(folder).filter((name) => {
    const [, writer, pid] = RECORD.exec(name) ?? [];
    return writer === machine && !isAlive(Number(pid));
  });
  return names.map((name) => join(folder, name));
}

const RECORD = /^([0-9a-f]{12})-([1-9]\d*)-[0-9a-f]{12}\.json$/;
