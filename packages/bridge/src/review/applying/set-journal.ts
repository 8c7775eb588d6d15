import { lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '@hawser/unknown-values/thrown';
import { makePrivateFolder, writePrivateFile } from '@hawser/user-files/private-file';
import { textOnDisk } from '../../comparable-text.ts';
import { MAX_FILE_BYTES, statIfAny } from '../../regular-file.ts';
import { crashedRecords, recordName, type TemporaryFiles } from '../../temporary-files.ts';
import { readTextFile, writeTextFile } from '../../text-file.ts';

/** A file of a set, exactly as it is and as it is to be; undefined for no file. */
export interface SetFile {
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** The sets of files that are being written, so that a later start finishes one that a crash has left half-written. */
export class SetJournal {
  readonly #folder: string | undefined;

  /** Without a state folder nothing is recorded. */
  constructor(stateFolder: string | undefined) {
    this.#folder = stateFolder === undefined ? undefined : join(stateFolder, 'sets');
  }

  /** Records a set while `write` runs. If that rejects, it has taken back what it wrote. */
  async during<Result>(files: readonly SetFile[], write: () => Promise<Result>): Promise<Result> {
    if (this.#folder === undefined) return await write();
    makePrivateFolder(this.#folder);
    const record = join(this.#folder, recordName());
    writePrivateFile(record, JSON.stringify(files.map(({ path, before, after }) => ({ path, before, after }))));
    try {
      return await write();
    } finally {
      await rm(record, { force: true });
    }
  }

  /**
   * Finishes what crashed processes of this machine began: the user had accepted it. A set of which nothing was written
   * stays so, and one with a file that has changed since is left alone. Returns what the user should know.
   */
  async recover(temporaryFiles: TemporaryFiles): Promise<readonly string[]> {
    const messages: string[] = [];
    for (const crashed of this.#folder === undefined ? [] : crashedRecords(this.#folder)) {
      // Another process may do the same now: the record is with whoever renames it.
      const record = join(this.#folder ?? '', recordName());
      if (!(await isDone(rename(crashed, record)))) continue;
      try {
        messages.push(...(await finish(JSON.parse(await readFile(record, 'utf8')), temporaryFiles)));
        await rm(record, { force: true });
      } catch (error) {
        // The record stays: the next start tries again.
        messages.push(`A change of several files is half-written, and could not be finished: ${messageOf(error)}`);
      }
    }
    return messages;
  }
}

async function finish(files: readonly SetFile[], temporaryFiles: TemporaryFiles): Promise<readonly string[]> {
  const found = await Promise.all(files.map(async (file) => ({ file, state: await stateOf(file) })));
  const some = (wanted: State) => found.filter(({ state }) => state === wanted).map(({ file }) => file);
  const [old, done, other] = [some('before'), some('after'), some('other')];
  if (done.length === 0 || done.length === files.length) return [];
  if (other.length > 0) {
    const named = (of: readonly SetFile[]) => of.map(({ path }) => path).join(', ');
    return [`Of a change that you accepted, ${named(done)} was written, and ${named([...old, ...other])} was not`];
  }
  for (const { path, after } of old) {
    if (after === undefined) await rm(path, { force: true });
    else await write(path, after, temporaryFiles);
  }
  return [`A change of ${files.length} files that you accepted was finished after a crash`];
}

type State = 'before' | 'after' | 'other';

async function stateOf({ path, before, after }: SetFile): Promise<State> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  if (isLink) return 'other';
  const text = await textOnDisk(path);
  return text === after ? 'after' : text === before ? 'before' : 'other';
}

async function write(path: string, text: string, temporaryFiles: TemporaryFiles): Promise<void> {
  const existing = (await statIfAny(path)) && (await readTextFile(path, MAX_FILE_BYTES));
  if (existing === undefined) await mkdir(dirname(path), { recursive: true });
  const { encoding = 'utf8', stamp: replaces = 'nothing' } = existing ?? {};
  await writeTextFile(path, text, { encoding, replaces, temporaryFiles });
}

async function isDone(work: Promise<void>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  );
}
