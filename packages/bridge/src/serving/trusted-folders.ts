import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashedName } from '@hawser/user-files/names';
import { isExposed, makePrivateFolder, namesIn, readOwnFile, writePrivateFile } from '@hawser/user-files/private-file';
import { withParents } from '@hawser/user-files/real-folders';

/**
 * The folders whose own programs the user lets the bridge run, and what is below them. A file each, in the state folder:
 * commands that run at the same time lose nothing, and a running bridge learns of it.
 */
export class TrustedFolders {
  readonly #place: string;

  constructor(stateFolder: string) {
    this.#place = join(stateFolder, 'trusted-folders');
  }

  /** Real paths, here and in the other members. */
  has(folder: string): boolean {
    return withParents(folder).some((each) => this.#isNoted(each));
  }

  add(folder: string): void {
    makePrivateFolder(this.#place);
    writePrivateFile(this.#fileOf(folder), folder);
  }

  /** Those around it stay. */
  remove(folder: string): void {
    rmSync(this.#fileOf(folder), { force: true });
  }

  list(): readonly string[] {
    const texts = namesIn(this.#place).map((name) => readOwnFile(join(this.#place, name)));
    return texts.filter((text) => typeof text === 'string' && this.#isNoted(text)).sort() as string[];
  }

  #isNoted(folder: string): boolean {
    const file = this.#fileOf(folder);
    return readOwnFile(file) === folder && !isExposed(file);
  }

  #fileOf(folder: string): string {
    return join(this.#place, hashedName(folder));
  }
}
