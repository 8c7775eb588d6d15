import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '@hawser/unknown-values/thrown';

export type EditOutcome =
  | { readonly kind: 'edited'; readonly text: string }
  /** The editor has ended, or runs on by itself. What it saves to the file later is found by the next edit. */
  | { readonly kind: 'unchanged'; readonly file: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface EditOptions {
  /** A command as in $EDITOR, with arguments if need be. */
  readonly editor: string;
  readonly temporaryFolder: string;
  /** The file of an earlier edit that changed nothing. */
  readonly file?: string | undefined;
}

/**
 * Opens a text in the user's editor, in a private file named like `path`. The file goes when the text is known here; what
 * was saved to it and can't be taken stays there, and the message names it.
 */
export async function editText(path: string, text: string, options: EditOptions): Promise<EditOutcome> {
  const { editor, temporaryFolder } = options;
  let file = options.file;
  try {
    const later = file === undefined ? undefined : await savedIn(file, text);
    if (file !== undefined && later !== undefined) return await take(file, later);
    if (file === undefined) {
      // Only this user can enter it.
      file = join(await mkdtemp(join(temporaryFolder, 'hawser-edit-')), basename(path));
      await writeFile(file, text, { mode: 0o600 });
    }
    const problem = await run(editor, file);
    const saved = await savedIn(file, text);
    if (problem !== undefined) {
      if (saved === undefined) await discard(file);
      return { kind: 'failed', message: `Not edited: ${problem}${saved === undefined ? '' : whereIs(file)}` };
    }
    return saved === undefined ? { kind: 'unchanged', file } : await take(file, saved);
  } catch (error) {
    return { kind: 'failed', message: `Not edited: ${messageOf(error)}${file === undefined ? '' : whereIs(file)}` };
  }
}

/** Removes the file of an edit that changed nothing, at once. False if something was saved to it since: then it stays. */
export function discardDraft(file: string, text: string): boolean {
  try {
    if (readFileSync(file, 'utf8') !== text) return false;
  } catch {
    // Nobody can have saved anything there.
  }
  rmSync(dirname(file), { recursive: true, force: true });
  return true;
}

function whereIs(file: string): string {
  return `; what you saved is in ${file}`;
}

/** The text that an editor has saved; undefined if it is the one that was there. Rejects if it is not UTF-8. */
async function savedIn(file: string, before: string): Promise<string | undefined> {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  const saved = withoutAddedNewline(before, text);
  return saved === before ? undefined : saved;
}

async function take(file: string, text: string): Promise<EditOutcome> {
  await discard(file);
  return { kind: 'edited', text };
}

async function discard(file: string): Promise<void> {
  await rm(dirname(file), { recursive: true, force: true }).catch(() => undefined);
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
