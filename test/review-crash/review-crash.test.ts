import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SetJournal } from '../../packages/bridge/src/review/applying/set-journal.ts';
import { TemporaryFiles } from '../../packages/bridge/src/temporary-files.ts';
import { temporaryFolder } from '../../packages/bridge/testing/temporary-folder.ts';

const PROGRAM = join(import.meta.dirname, 'accept-and-die.mjs');
const NAMES = ['a.txt', 'b.txt', 'c.txt'];
const AT_ONCE = 4;
/** Of the accesses to the disk at which a bridge is killed: 1 is all of them. */
const EVERY = Number(process.env.HAWSER_EVERY ?? 4);

interface End {
  readonly home: string;
  /** How many accesses there were if it was not killed. */
  readonly accesses: number | undefined;
}

/** A bridge that accepts changes of some files and is killed at an access to the disk, counted from 1. */
function accept(writer: 'agent' | 'bridge', files: number, killedAt: number): Promise<End> {
  const home = temporaryFolder();
  for (const folder of ['work', 'state']) mkdirSync(join(home, folder));
  for (const name of NAMES.slice(0, files)) writeFileSync(join(home, 'work', name), 'old\n');
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [PROGRAM, home, writer, String(killedAt)], (error, stdout, stderr) => {
      const isKilled = error?.signal === 'SIGKILL';
      if (error !== null && !isKilled) reject(new Error(stderr, { cause: error }));
      else resolve({ home, accesses: isKilled ? undefined : Number(stdout) });
    });
  });
}

/** Each file is old or new; the next start makes a set of them whole. */
async function check({ home }: End, files: number): Promise<void> {
  checkFiles(home, files);
  const state = join(home, 'state');
  await new SetJournal(state).recover(new TemporaryFiles(state));
  checkFiles(home, files);
  const isNew = NAMES.slice(0, files).map((name) => readFileSync(join(home, 'work', name), 'utf8') !== 'old\n');
  expect(new Set(isNew).size).toBe(1);
}

function checkFiles(home: string, files: number): void {
  const kept = join(home, 'state', 'kept');
  const keptTexts = () => readdirSync(kept).map((name) => readFileSync(join(kept, name), 'utf8'));
  for (const name of NAMES.slice(0, files)) {
    const mine = `new\ntyped by the user in ${name}\n`;
    const text = readFileSync(join(home, 'work', name), 'utf8');
    expect(['old\n', mine]).toContain(text);
    if (text !== mine) expect(keptTexts()).toContain(mine);
  }
}

it('whenever the bridge is killed, files are old or new, all of a set after the next start, and the user’s text is in the file or kept', async () => {
  const kinds = [
    ['bridge', 1],
    ['bridge', 3],
    ['agent', 1],
  ] as const;
  const all = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await accept(kind[0], kind[1], 0)) })));
  const moments = all.flatMap(({ kind, accesses = 0 }) =>
    Array.from({ length: accesses }, (_, nth) => [kind, nth + 1] as const).filter((_, nth) => nth % EVERY === 0),
  );
  for (const end of all) expect(readdirSync(join(end.home, 'state', 'kept'))).toEqual([]);
  expect(moments.length).toBeGreaterThan(150 / EVERY);
  const left = [...moments];
  const kills = { count: 0 };
  const work = async () => {
    for (let moment = left.shift(); moment !== undefined; moment = left.shift()) {
      const [[writer, files], killedAt] = moment;
      const end = await accept(writer, files, killedAt);
      if (end.accesses === undefined) kills.count += 1;
      // An agent that writes in place may be killed with the bridge in this test; its own file is not ours.
      if (writer === 'bridge') await check(end, files);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(kills.count).toBeGreaterThan(moments.length * 0.9);
}, 900_000);
