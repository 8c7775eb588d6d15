import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

export type EditOutcome =
  /** `release` takes the file away. */
  | { readonly kind: 'edited'; readonly text: string; readonly file: string; readonly release: Release }
  | { readonly kind: 'failed'; readonly message: string; readonly release: Release };

type Release = () => Promise<void>;

export interface EditOptions {
  /** A command as in $EDITOR, with arguments if need be. */
  readonly editor: string;
  readonly temporaryFolder: string;
}

/** Opens a text in the person's editor, in a file that nobody else can read, named like `path`. */
export async function editText(
  path: string,
  text: string,
  { editor, temporaryFolder }: EditOptions,
): Promise<EditOutcome> {
  const folder = await mkdtemp(join(temporaryFolder, 'hawser-edit-'));
  const release = () => rm(folder, { recursive: true, force: true });
  try {
    await chmod(folder, 0o700);
    const file = join(folder, basename(path));
    await writeFile(file, text, { mode: 0o600 });
    const problem = await run(editor, file);
    if (problem !== undefined) return { kind: 'failed', message: `Not edited: ${problem}`, release };
    const edited = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
    return { kind: 'edited', text: withoutAddedNewline(text, edited), file, release };
  } catch (error) {
    return { kind: 'failed', message: `Not edited: ${(error as Error).message}`, release };
  }
}

/** Many editors end each file with a newline; a file that had none keeps having none. */
function withoutAddedNewline(before: string, edited: string): string {
  return before !== '' && !before.endsWith('\n') && edited.endsWith('\n') ? edited.replace(/\r?\n$/, '') : edited;
}

/** Undefined when it ended well. */
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
