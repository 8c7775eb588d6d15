import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROGRAM } from '../packages/bridge/testing/program.ts';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';
import { TmuxScreen } from '../packages/bridge/testing/tmux.ts';

let folder: string;
let screen: TmuxScreen | undefined;

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(async () => {
  await screen?.close();
});

test('a program that is killed leaves the terminal as it was', async () => {
  const workspace = join(folder, 'work');
  mkdirSync(workspace);
  const parent = join(folder, 'parent.mjs');
  const script = JSON.stringify(new URL('../scripts/run-in-terminal.mjs', import.meta.url).href);
  const wrapped = `echo $$ > pid; exec '${process.execPath}' '${PROGRAM}' serve`;
  writeFileSync(
    parent,
    `import { runInTerminal } from ${script};
     process.exitCode = await runInTerminal('sh', ['-c', ${JSON.stringify(wrapped)}]);`,
  );
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  screen = await TmuxScreen.open(`'${process.execPath}' '${parent}'`, { folder, env, cwd: workspace });
  await screen.shows('Nothing waits for a decision.');
  expect(await screen.ask('#{alternate_on} #{cursor_flag} #{mouse_any_flag}')).toBe('1 0 1');
  process.kill(Number(readFileSync(join(workspace, 'pid'), 'utf8')), 'SIGKILL');
  await screen.shows('ended 137');
  expect(await screen.ask('#{alternate_on} #{cursor_flag} #{mouse_any_flag}')).toBe('0 1 0');
  // Back in its usual mode the terminal itself shows what is typed.
  await screen.press('typed');
  await screen.shows('typed');
});
