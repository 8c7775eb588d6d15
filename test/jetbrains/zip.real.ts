import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ideArguments } from '../../editors/jetbrains/platform/build.mjs';
import { PROGRAM, temporaryHousehold } from '../../packages/bridge/testing/program.ts';

const PLATFORM = process.env.HAWSER_IDE_PLATFORM ?? '';
const ZIP = process.env.HAWSER_IDE_ZIP ?? '';

it('the zip, unpacked among the plugins of an IDE, serves the project that is opened there', async () => {
  const house = temporaryHousehold();
  const sandbox = join(house.home, 'ide');
  mkdirSync(join(sandbox, 'plugins'), { recursive: true });
  execFileSync('jar', ['xf', ZIP], { cwd: join(sandbox, 'plugins') });
  mkdirSync(join(house.workspace, '.idea'));
  symlinkSync(PROGRAM, join(house.home, 'hawser'));
  const command = ideArguments({ platform: PLATFORM, sandbox, screen: 'display', command: [house.workspace] });
  const env = {
    ...house.env,
    PATH: `${house.home}:${house.env.PATH}`,
    DISPLAY: process.env.DISPLAY,
    LC_ALL: 'C.UTF-8',
  };
  const ide = spawn('java', command, { env, stdio: 'ignore' });
  try {
    let status = await house.run('status', '--json');
    while (status.code !== 0 && ide.exitCode === null) status = await house.run('status', '--json');
    expect(status.out).toContain('IntelliJ IDEA');
  } finally {
    ide.kill('SIGKILL');
    await once(ide, 'exit');
  }
});
