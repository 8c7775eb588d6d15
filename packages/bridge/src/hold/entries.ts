import type { Stats } from 'node:fs';
import { chmod, cp, lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '@hawser/user-files/private-file';
import type { EntryWrite } from '../review/applier.ts';
import { TemporaryFiles } from '../temporary-files.ts';
import type { Difference } from './changes.ts';
import type { Layer } from './layer.ts';

/** Makes a path of the project what it is in the layer, whatever that is. */
export function replacing(layer: Layer, { name, before, after }: Difference): EntryWrite {
  const target = join(layer.project, name);
  return {
    put: async () => {
      const now = await lstat(target).catch(() => undefined);
      if (!isSame(before, now)) throw new Error(`${target} has changed since; look at it again`);
      const backup = join(layer.folder, 'backup', name);
      if (before !== undefined) await copy(target, backup);
      if (after === undefined) await rm(target, { recursive: true });
      else await place(join(layer.folder, 'up', name), target, layer);
      return async () => {
        if (before === undefined) await rm(target, { recursive: true });
        else await place(backup, target, layer);
      };
    },
  };
}

/** Gives a file the mode that it has in the layer. */
export function changingMode(layer: Layer, name: string, mode: number): EntryWrite {
  const target = join(layer.project, name);
  return {
    put: async () => {
      const before = (await lstat(target)).mode & 0o7777;
      await chmod(target, mode);
      // A set that can't be written as a whole takes a new file away before.
      return () => chmod(target, before).catch(unlessGone);
    },
  };
}

/** Moves what nobody reviews from the layer into the project. */
export async function pass(layer: Layer, { name, before, after }: Difference): Promise<void> {
  const [source, target] = [join(layer.folder, 'up', name), join(layer.project, name)];
  if (after === undefined) return await rm(target, { recursive: true, force: true });
  await mkdir(dirname(target), { recursive: true });
  if (before !== undefined && (before.isDirectory() || after.isDirectory())) await rm(target, { recursive: true });
  await rename(source, target).catch(async (error: unknown) => {
    if (codeOf(error) !== 'EXDEV') throw error;
    await place(source, target, layer);
  });
}

/** Makes a folder that has no files, or removes one if it has none. */
export async function passFolder({ project }: Layer, { name, after }: Difference): Promise<void> {
  const target = join(project, name);
  if (after === undefined) await removeEmpty(target);
  else await mkdir(target, { recursive: true, mode: after.mode & 0o777 });
}

/** From the innermost outwards. */
async function removeEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(folder, entry.name));
  // One that has files stays.
  await rmdir(folder).catch(() => undefined);
}

async function place(source: string, target: string, { stateFolder }: Layer): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await new TemporaryFiles(stateFolder).with(target, `.${basename(target)}`, async ({ path }) => {
    await copy(source, path);
    const now = await lstat(target).catch(() => undefined);
    if (now?.isDirectory() === true) await rm(target, { recursive: true });
    await rename(path, target);
  });
}

async function copy(source: string, target: string): Promise<void> {
  await cp(source, target, { recursive: true, verbatimSymlinks: true, force: true, preserveTimestamps: true });
}

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return one?.ino === other?.ino && one?.ctimeMs === other?.ctimeMs && one?.size === other?.size;
}

function unlessGone(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
