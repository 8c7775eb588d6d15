import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { FileWatch } from '../../editors/file-watch.ts';
import { TemporaryFiles } from '../../temporary-files.ts';
import type { Accepted, Proposal } from '../proposal.ts';
import { Handovers, type Mismatch, mismatchInWords } from './handovers.ts';

let folder: string;
let path: string;
let handovers: Handovers;
let mismatches: Mismatch[];
let released: string[];

beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder, 'a.txt');
  await writeFile(path, 'old\n');
  [mismatches, released] = [[], []];
  handovers = new Handovers({
    watch: (onChange) => new FileWatch(onChange, () => {}),
    kept: { keep: () => '', release: (file) => void released.push(file) },
    temporaryFiles: new TemporaryFiles(undefined),
    onMismatch: (mismatch) => mismatches.push(mismatch),
    onProblem: (problem) => {
      throw problem;
    },
    patienceMs: 200,
  });
});

afterEach(() => handovers.close());

const accepted = (text: string): Accepted => {
  const proposal: Proposal = {
    ...{ id: 'p', path, title: path, oldText: 'old\n', newText: 'new\n', agent: 'an agent' },
    ...{ arrival: 0, revision: 0, base: 'original', turn: 0 },
  };
  return { kind: 'accepted', text, proposal, notes: [] };
};

it('a text that the agent writes is where it belongs: the kept copy goes', async () => {
  handovers.follow(accepted('new\n'), '/kept/a');
  await writeFile(path, 'new\n');
  await expect.poll(() => released).toEqual(['/kept/a']);
  expect(mismatches).toEqual([]);
});

it('a text that is there before the agent is watched counts, and line ends of the file do not', async () => {
  await writeFile(path, 'new\r\n');
  handovers.follow(accepted('new\n'), '/kept/a');
  await expect.poll(() => released).toEqual(['/kept/a']);
});

it.each([
  ['is missing', 'mine\n', 'mine'],
  ['is one too many', 'mine', 'mine\n'],
])('a last newline that %s is mended, and the time of the file stays', async (_what, wanted, written) => {
  handovers.follow(accepted(wanted), '/kept/a');
  await writeFile(path, written);
  const { mtimeMs } = await stat(path);
  await expect.poll(() => readFile(path, 'utf8')).toBe(wanted);
  await expect.poll(() => released).toEqual(['/kept/a']);
  expect(Math.abs((await stat(path)).mtimeMs - mtimeMs)).toBeLessThan(1);
  expect([mismatches, await readdir(folder)]).toEqual([[], ['a.txt']]);
});

it('an agent that writes something else is reported, with the kept copy', async () => {
  handovers.follow(accepted('mine\n'), '/kept/a');
  await writeFile(path, 'other\n');
  await expect.poll(() => mismatches).toMatchObject([{ found: 'other\n', isUnchanged: false }]);
  expect(mismatches.map(mismatchInWords)).toEqual([
    `an agent wrote something else to ${path} than you accepted; your version is kept in /kept/a`,
  ]);
  expect(released).toEqual([]);
});

it('an agent that writes nothing is reported', async () => {
  handovers.follow(accepted('new\n'), undefined);
  await expect.poll(() => mismatches).toMatchObject([{ isUnchanged: true }]);
  expect(mismatches.map(mismatchInWords)).toEqual([`an agent has not written ${path}, which you accepted`]);
});

it('only the last text that was accepted for a file counts', async () => {
  handovers.follow(accepted('first\n'), '/kept/first');
  handovers.follow(accepted('second\n'), '/kept/second');
  await writeFile(path, 'second\n');
  await expect.poll(() => released).toEqual(['/kept/second']);
  expect(mismatches).toEqual([]);
});
