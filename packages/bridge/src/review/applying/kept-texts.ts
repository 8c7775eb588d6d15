import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { randomName } from '@hawser/user-files/names';
import { makePrivateFolder, writePrivateFile } from '@hawser/user-files/private-file';
import type { KeptTexts } from '../kept-texts.ts';

/** Files with what users typed and what could not be written yet. They stay until somebody removes them. */
export function keptTexts(stateFolder: string): KeptTexts {
  return {
    keep: (path, text) => {
      const folder = keptFolder(stateFolder);
      makePrivateFolder(folder);
      // The name ends like the original, so that editors know its language.
      const file = join(folder, `${randomName(8)}-${basename(path)}`);
      writePrivateFile(file, text);
      return file;
    },
    release: (file) => rmSync(file, { force: true }),
  };
}

/** The files that are kept, for example since a crash. */
export function keptFiles(stateFolder: string): readonly string[] {
  const folder = keptFolder(stateFolder);
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function keptFolder(stateFolder: string): string {
  return join(stateFolder, 'kept');
}
