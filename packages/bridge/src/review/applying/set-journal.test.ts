import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineName } from '@hawser/user-files/machine';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { TemporaryFiles } from '../../temporary-files.ts';
import { SetJournal } from './set-journal.ts';

let folder: string;
let sets: string;
let journal: SetJournal;

beforeEach(() => {
  folder = temporaryFolder();
  sets = join(folder, 'state', 'sets');
  journal = new SetJournal(join(folder, 'state'));
});

const at = (name: string) => join(folder, name);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined);
const recover = () => journal.recover(new TemporaryFiles(undefined));

/** What a process that no longer runs was about to write. */
function crashed(files: readonly object[] | string): void {
  const { pid } = spawnSync(process.execPath, ['--version']);
  mkdirSync(sets, { recursive: true, mode: 0o700 });
  const record = join(sets, `${machineName()}-${pid}-0123456789ab.json`);
  writeFileSync(record, typeof files === 'string' ? files : JSON.stringify(files));
}

const SET = () => [
  { path: at('a'), before: 'a\n', after: 'A\n' },
  { path: at('b'), before: 'b\r\n', after: 'B\r\n' },
  { path: at('made/c'), after: 'C\n' },
  { path: at('gone'), before: 'gone\n' },
];

it('a set is recorded while it is written, for this user alone, and not longer', async () => {
  const files = [{ path: at('a'), before: 'a', after: 'A' }];
  const written = await journal.during(files, async () => {
    const [record = ''] = readdirSync(sets);
    expect(JSON.parse(readFileSync(join(sets, record), 'utf8'))).toEqual(files);
    expect(statSync(join(sets, record)).mode & 0o077).toBe(0);
    expect(await recover()).toEqual([]);
    return 'written';
  });
  expect([written, readdirSync(sets)]).toEqual(['written', []]);
  await expect(journal.during(files, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
  expect(readdirSync(sets)).toEqual([]);
});

it('what a crash left half-written is finished: changed, made and removed files', async () => {
  for (const [name, text] of Object.entries({ a: 'A\n', b: 'b\r\n', gone: 'gone\n' })) writeFileSync(at(name), text);
  crashed(SET());
  expect(await recover()).toEqual(['A change of 4 files that you accepted was finished after a crash']);
  expect(['a', 'b', 'made/c', 'gone'].map(read)).toEqual(['A\n', 'B\r\n', 'C\n', undefined]);
  expect([readdirSync(sets), await recover()]).toEqual([[], []]);
});

it('a set of which nothing was written, or all, stays as it is', async () => {
  for (const [name, text] of Object.entries({ a: 'a\n', b: 'b\r\n', gone: 'gone\n' })) writeFileSync(at(name), text);
  crashed(SET());
  expect([await recover(), read('a'), read('made/c')]).toEqual([[], 'a\n', undefined]);
  expect(readdirSync(sets)).toEqual([]);
});

it.each(['somebody else', 'a link'])(
  'a set with a file that is %s’s by now is left alone, and the user learns it',
  async (whose) => {
    for (const [name, text] of Object.entries({ a: 'A\n', other: 'b\r\n' })) writeFileSync(at(name), text);
    if (whose === 'a link') symlinkSync(at('other'), at('b'));
    else writeFileSync(at('b'), 'mine\n');
    crashed(SET().slice(0, 2));
    expect(await recover()).toEqual([`Of a change that you accepted, ${at('a')} was written, and ${at('b')} was not`]);
    expect([read('a'), read('b'), read('other')]).toEqual(['A\n', whose === 'a link' ? 'b\r\n' : 'mine\n', 'b\r\n']);
  },
);

it('a record that can not be read, or a file that can not be written, is said, and tried again by the next process', async () => {
  crashed('[{"path"');
  expect(await recover()).toEqual([expect.stringContaining('could not be finished')]);
  expect(readdirSync(sets)).toHaveLength(1);
});
