import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '@hawser/user-files/alive';
import { randomName } from '@hawser/user-files/names';
import { makePrivateFolder, namesIn } from '@hawser/user-files/private-file';
import type { CarriedTexts, TextMembers } from '../../review/reviewers/remote/wire-proposal.ts';

/**
 * Large texts for an editor, in files that only this user can read. Their folder is named after this process, so that a
 * later start removes what a crash left.
 */
export class PrivateTexts {
  readonly #home: string;
  readonly #folder: string;
  readonly #maxBytes: number | undefined;
  readonly #carriesNul: boolean;
  #isReady = false;

  /** Texts of more than `maxBytes` go into files; without it, none. So do those with U+0000, unless messages carry it. */
  constructor(stateFolder: string, { maxBytes, carriesNul }: { maxBytes: number | undefined; carriesNul: boolean }) {
    this.#home = join(stateFolder, 'texts');
    this.#folder = join(this.#home, `${process.pid}-${randomName(12)}`);
    this.#maxBytes = maxBytes;
    this.#carriesNul = carriesNul;
  }

  carry(): CarriedTexts {
    const files: string[] = [];
    return {
      members: (name, text) => {
        if (!this.#needsFile(text)) return { [name]: text } as TextMembers<typeof name>;
        const path = this.#write(text);
        files.push(path);
        return { [`${name}File`]: path } as TextMembers<typeof name>;
      },
      remove: () => {
        for (const file of files.splice(0)) rmSync(file, { force: true });
      },
    };
  }

  close(): void {
    if (this.#isReady) rmSync(this.#folder, { recursive: true, force: true });
    this.#isReady = false;
  }

  /** Emacs and Vim can't read a NUL in JSON. Throws for a text that no file could hold either. */
  #needsFile(text: string): boolean {
    if (LONE_SURROGATE.test(text)) throw new Error('The text is not valid Unicode, so it is not shown in this editor');
    const hasNul = !this.#carriesNul && text.includes('\0');
    if (this.#maxBytes !== undefined) return hasNul || Buffer.byteLength(text) > this.#maxBytes;
    if (hasNul) throw new Error('The text contains NUL characters, so it is not shown in this editor');
    return false;
  }

  #write(text: string): string {
    if (!this.#isReady) {
      this.#sweep();
      makePrivateFolder(this.#folder);
      this.#isReady = true;
    }
    const path = join(this.#folder, randomName(12));
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    return path;
  }

  #sweep(): void {
    for (const name of namesIn(this.#home)) {
      const pid = Number(/^(\d+)-/.exec(name)?.[1]);
      if (pid > 0 && !isAlive(pid)) rmSync(join(this.#home, name), { recursive: true, force: true });
    }
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;
