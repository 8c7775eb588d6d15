import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, temporaryHousehold } from '../packages/bridge/testing/program.ts';
import { shellLine } from '../packages/bridge/testing/tmux.ts';

test('a program that is killed leaves the terminal as it was', async () => {
  const house = temporaryHousehold();
  const parent = join(house.home, 'parent.mjs');
  const script = JSON.stringify(new URL('../scripts/run-in-terminal.mjs', import.meta.url).href);
  const wrapped = `echo $$ > pid; exec '${process.execPath}' '${PROGRAM}' serve`;
  writeFileSync(
    parent,
    `import { runInTerminal } from ${script};
     process.exitCode = await runInTerminal('sh', ['-c', ${JSON.stringify(wrapped)}]);`,
  );
  const screen = await house.screen(shellLine([process.execPath, parent]));
  await screen.shows('Nothing waits for a decision.');
  expect(await screen.ask('#{alternate_on} #{cursor_flag} #{mouse_any_flag}')).toBe('1 0 1');
  process.kill(Number(readFileSync(join(house.workspace, 'pid'), 'utf8')), 'SIGKILL');
  await screen.shows('ended 137');
  expect(await screen.ask('#{alternate_on} #{cursor_flag} #{mouse_any_flag}')).toBe('0 1 0');
  // Back in its usual mode the terminal itself shows what is typed.
  await screen.press('typed');
  await screen.shows('typed');
});
