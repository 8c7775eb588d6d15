import { mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Drafts } from './drafts.ts';

describe('what the user typed', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-drafts-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const draft = { path: 'file:///p/a%20b.txt', before: 'one\n', text: 'mine\n', notes: [] };

  it('is there at once, and in the next window once it is written', () => {
    const drafts = new Drafts(folder);
    drafts.keep('1', draft);
    expect(drafts.find('1')).toEqual(draft);
    drafts.flush();
    expect(new Drafts(folder).find('1')).toEqual(draft);
    drafts.drop('1');
    expect(new Drafts(folder).find('1')).toBeUndefined();
  });

  it('becomes a file of the user when its proposal ends otherwise', () => {
    const drafts = new Drafts(folder);
    // At once, as when the bridge ends. Their files have the same name in two folders.
    const texts = Array.from({ length: 20 }, (_, number) => `mine ${number}\n`);
    const files = texts.map((text, number) => drafts.rescue({ ...draft, path: `file:///p${number}/a%20b.txt`, text }));
    for (const file of files) expect(file).toMatch(/kept\/\S+-a b\.txt$/);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(texts);
  });

  it('is not deleted with age: it becomes such a file', () => {
    const drafts = new Drafts(folder);
    for (const id of ['old', 'open', 'new']) drafts.keep(id, draft);
    drafts.flush();
    for (const id of ['old', 'open']) utimesSync(join(folder, `${id}.json`), 0, 0);
    const kept = drafts.sweep((id) => id === 'open');
    expect(kept.map((file) => readFileSync(file, 'utf8'))).toEqual(['mine\n']);
    expect(['old', 'open', 'new'].map((id) => drafts.find(id) !== undefined)).toEqual([false, true, true]);
  });
});
