import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

export type EditOutcome =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface EditOptions {
  /** A command as in $EDITOR, with arguments if need be. */
  readonly editor: string;
  readonly temporaryFolder: string;
}

/** Opens a text in the user's editor, in a private file named like `path`. */
export async function editText(
  path: string,
  text: string,
  { editor, temporaryFolder }: EditOptions,
): Promise<EditOutcome> {
  let folder: string | undefined;
  try {
    // Only this user can enter it.
    folder = await mkdtemp(join(temporaryFolder, 'hawser-edit-'));
    const file = join(folder, basename(path));
    await writeFile(file, text, { mode: 0o600 });
    const problem = await run(editor, file);
    if (problem !== undefined) return { kind: 'failed', message: `Not edited: ${problem}` };
    const edited = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
    return { kind: 'edited', text: withoutAddedNewline(text, edited) };
  } catch (error) {
    return { kind: 'failed', message: `Not edited: ${(error as Error).message}` };
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Writes a text to a private file named like `path` and returns its path. Throws if it can't. */
export function keepText(path: string, text: string, { temporaryFolder }: EditOptions): string {
  const file = join(mkdtempSync(join(temporaryFolder, 'hawser-kept-')), basename(path));
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** Many editors end each file with a newline; a text without one keeps having none. */
function withoutAddedNewline(before: string, edited: string): string {
  return before !== '' && !before.endsWith('\n') && edited.endsWith('\n') ? edited.replace(/\r?\n$/, '') : edited;
}

/** Undefined if it ended well. */
function run(editor: string, file: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    // A shell, because $EDITOR may be more than one word; the file is an argument, so its name means nothing to it.
    // Ctrl-C is the editor's, and the shell must outlive it.
    const child = spawn('sh', ['-c', `trap : INT; ${editor} "$1"`, 'hawser', file], { stdio: 'inherit' });
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(`${editor} ended with ${signal ?? `code ${code}`}`);
    });
  });
}
