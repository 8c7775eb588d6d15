import { unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { restoreLineEnds } from '@hawser/diffs/line-ends';
import { messageOf } from '@hawser/unknown-values/thrown';
import { comparable, textOnDisk } from '../../comparable-text.ts';
import type { Editor } from '../../editor.ts';
import { decode, encode } from '../../encoding.ts';
import { NoSuchFile, readRegularFile, statIfAny } from '../../regular-file.ts';
import type { TemporaryFiles } from '../../temporary-files.ts';
import type { Applier, EntryWrite, FileWrite } from '../applier.ts';
import type { Written } from '../proposal.ts';
import type { SetJournal } from './set-journal.ts';

export interface EditorApplierOptions {
  readonly editor: Pick<Editor, 'name' | 'openDocuments' | 'writeText'>;
  readonly temporaryFiles: TemporaryFiles;
  readonly journal: SetJournal;
  /** Where a path leads. One that has become a link may lead out of the workspace. */
  readonly realPath: (path: string) => Promise<string>;
}

/** Writes through the editor, so that the user can undo it there. */
export function editorApplier(options: EditorApplierOptions): Applier {
  return {
    apply: async (writes, entries = []) => {
      const ready = await Promise.all(writes.map((write) => prepare(write, options)));
      if (ready.length + entries.length === 1) await writeAll(ready, entries, options);
      else {
        await Promise.all(ready.map((each) => tryOut(each, options)));
        await options.journal.during(ready, () => writeAll(ready, entries, options));
      }
      return await Promise.all(ready.map(written));
    },
  };
}

/** A file, exactly as it is and as it is to be; undefined for no file. */
interface Ready extends FileWrite {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

async function prepare(write: FileWrite, { realPath }: EditorApplierOptions): Promise<Ready> {
  const { path, expected, text, lineEnds } = write;
  if ((await realPath(path)) !== path) throw new Error(`${path} is a symbolic link now`);
  const before = await textOnDisk(path);
  if (comparable(before, lineEnds) !== expected) throw new Error(`${path} has changed since; look at it again`);
  const keepsEnds = lineEnds === 'kept' && before !== undefined && text !== undefined;
  return { ...write, before, after: keepsEnds ? restoreLineEnds(comparable(text, lineEnds), before) : text };
}

async function writeAll(
  ready: readonly Ready[],
  entries: readonly EntryWrite[],
  options: EditorApplierOptions,
): Promise<void> {
  const done: Ready[] = [];
  const takeBack: (() => Promise<void>)[] = [];
  try {
    for (const each of ready) {
      await replace(each.path, each.before, each.after, options);
      done.push(each);
    }
    for (const entry of entries) takeBack.push(await entry.put());
  } catch (error) {
    const problems = [...(await undoEntries(takeBack)), ...(await undo(done, options))];
    throw new Error([messageOf(error), ...problems].join('; '), { cause: error });
  }
}

/** Finds out before anything is written whether there is a reason why a file can't be. */
async function tryOut({ path, after }: Ready, { editor, temporaryFiles }: EditorApplierOptions): Promise<void> {
  const document = (await editor.openDocuments()).find((each) => each.path === path);
  if (document?.isDirty === true) throw new Error(`${path} has unsaved changes in ${editor.name}; save them first`);
  if (after === undefined) return;
  const { encoding } = decode(await readRegularFile(path).catch(nothing));
  const bytes = encode(after, encoding);
  const beside = join(await existingFolder(dirname(path)), basename(path));
  await temporaryFiles.with(beside, '.tmp', ({ path: file }) => writeFile(file, bytes, { flag: 'wx', mode: 0o600 }));
}

/** The folder, or the nearest above it that exists. */
async function existingFolder(folder: string): Promise<string> {
  const found = await statIfAny(folder);
  return found === undefined ? await existingFolder(dirname(folder)) : folder;
}

function nothing(error: unknown): Buffer {
  if (error instanceof NoSuchFile) return Buffer.alloc(0);
  throw error;
}

async function replace(
  path: string,
  before: string | undefined,
  after: string | undefined,
  { editor }: EditorApplierOptions,
): Promise<void> {
  if (after === undefined) {
    await unlink(path);
    return;
  }
  if (editor.writeText === undefined) throw new Error(`${editor.name} can't write files`);
  try {
    await editor.writeText(path, after, { expected: before });
  } catch (error) {
    // An editor that answers too late may have written it all the same.
    if ((await textOnDisk(path).catch(() => undefined)) !== after) throw error;
  }
}

/** Takes back what was written of a set that can't be written as a whole. Returns what went wrong. */
async function undo(done: readonly Ready[], options: EditorApplierOptions): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { path, before, after } of done.toReversed()) {
    try {
      await replace(path, after, before, options);
    } catch (error) {
      problems.push(`${path} has the new text, and could not be changed back: ${messageOf(error)}`);
    }
  }
  return problems;
}

async function undoEntries(takeBack: readonly (() => Promise<void>)[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const undoEntry of takeBack.toReversed()) {
    await undoEntry().catch((error: unknown) => problems.push(`a file could not be changed back: ${messageOf(error)}`));
  }
  return problems;
}

async function written({ path, text = '', lineEnds }: Ready): Promise<Written> {
  return { accepted: comparable(text, lineEnds), saved: comparable(await textOnDisk(path), lineEnds) ?? '' };
}
