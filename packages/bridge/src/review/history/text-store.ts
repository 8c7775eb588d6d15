import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, writePrivateFile } from '@hawser/user-files/private-file';

/** Texts in files that are named by their hash. When they take too much room, the oldest go. */
export class TextStore {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** When the last text was added, in milliseconds. */
  #lastTime = 0;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Returns the hash. Throws if the file can't be written. */
  add(text: string): string {
    const hash = createHash('sha256').update(text).digest('hex');
    const path = join(this.#folder, hash);
    const isNew = statSync(path, { throwIfNoEntry: false }) === undefined;
    if (isNew) {
      makePrivateFolder(this.#folder);
      writePrivateFile(path, text);
    }
    // A text is as new as what names it now. The clock of the file system gives texts that follow closely the same time.
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    utimesSync(path, this.#lastTime / 1000, this.#lastTime / 1000);
    if (isNew) this.#makeRoom();
    return hash;
  }

  /** Undefined if it had to make room. */
  get(hash: string): string | undefined {
    if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
    try {
      return readFileSync(join(this.#folder, hash), 'utf8');
    } catch {
      return undefined;
    }
  }

  #makeRoom(): void {
    const files = readdirSync(this.#folder).flatMap((name) => {
      const path = join(this.#folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      return found === undefined ? [] : { path, size: found.size, time: found.mtimeMs };
    });
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.sort((one, other) => one.time - other.time)) {
      if (bytes <= this.#maxBytes) return;
      rmSync(path, { force: true });
      bytes -= size;
    }
  }
}
