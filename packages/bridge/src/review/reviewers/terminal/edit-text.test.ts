import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../testing/temporary-folder.ts';
import { discardDraft, editText } from './edit-text.ts';

/** An editor that is a script; `$1` is the file. */
function setUp(script: string) {
  const home = temporaryFolder();
  const path = join(home, 'editor.sh');
  writeFileSync(path, script);
  const options = { editor: `sh '${path}'`, temporaryFolder: home };
  const left = () => readdirSync(home).filter((name) => name.startsWith('hawser-edit-'));
  return { options, left, edit: (file?: string) => editText('/w/a.txt', 'proposed\n', { ...options, file }) };
}

const fileIn = (message: string) => /what you saved is in (.+)$/.exec(message)?.[1] ?? '';

describe('editText', () => {
  it('gives what the editor saves, and leaves no file', async () => {
    const { edit, left } = setUp(`echo mine > "$1"`);
    expect(await edit()).toEqual({ kind: 'edited', text: 'mine\n' });
    expect(left()).toEqual([]);
  });

  it('keeps what an editor saved that then fails, and names the file', async () => {
    const { edit } = setUp(`echo mine > "$1"; exit 3`);
    const outcome = await edit();
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('ended with code 3') });
    expect(readFileSync(fileIn(outcome.kind === 'failed' ? outcome.message : ''), 'utf8')).toBe('mine\n');
  });

  it('leaves nothing behind if an editor fails without having saved', async () => {
    const { edit, left } = setUp('exit 1');
    expect(await edit()).toMatchObject({ kind: 'failed', message: expect.not.stringContaining('what you saved') });
    expect(left()).toEqual([]);
  });

  it('keeps bytes that are no UTF-8, and names the file', async () => {
    const { edit } = setUp(`printf 'caf\\351\\n' > "$1"`);
    const outcome = await edit();
    const file = fileIn(outcome.kind === 'failed' ? outcome.message : '');
    expect(readFileSync(file, 'latin1')).toBe('café\n');
  });

  it('finds what an editor saves that runs on by itself, when the user edits again', async () => {
    const { edit, left } = setUp('exit 0');
    const outcome = await edit();
    if (outcome.kind !== 'unchanged') throw new Error(outcome.kind);
    writeFileSync(outcome.file, 'saved later\n');
    expect(discardDraft(outcome.file, 'proposed\n')).toBe(false);
    expect(await edit(outcome.file)).toEqual({ kind: 'edited', text: 'saved later\n' });
    expect(left()).toEqual([]);
  });

  it('opens the same file again if nothing was saved, and it goes when it is discarded', async () => {
    const { edit } = setUp(`echo "$1" >> "$(dirname "$0")/opened"`);
    const first = await edit();
    if (first.kind !== 'unchanged') throw new Error(first.kind);
    expect(await edit(first.file)).toEqual(first);
    expect(discardDraft(first.file, 'proposed\n')).toBe(true);
    expect(existsSync(first.file)).toBe(false);
  });
});
