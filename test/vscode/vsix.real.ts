import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PROGRAM } from '../../packages/bridge/testing/program.ts';
import { NODE, until, Workbench } from './workbench.ts';

const VSIX = process.env.HAWSER_VSIX ?? '';
const run = promisify(execFile);

it('the vsix is installed into a fresh server by its own command, and its bridge serves agents', async (context) => {
  if (!existsSync(VSIX)) context.skip('npm run distribution makes distribution/hawser.vsix');
  const workbench = await Workbench.start();
  const env = { ...process.env, ...workbench.env };
  try {
    const [server = '', ...options] = workbench.serverArguments;
    const extensions = options.indexOf('--extensions-dir');
    const where = options.slice(extensions, extensions + 2);
    await run(NODE, [server, '--install-extension', VSIX, ...where], { env });
    expect(readdirSync(workbench.extensions)).toContain('hawser-dev.hawser-0.1.0');
    const window = await workbench.open();
    await until(() => window.page.locator('[id="hawser-dev.hawser.hawser"]', { hasText: 'Hawser' }).count(), 60_000);
    const status = () => run(process.execPath, [PROGRAM, 'status', '--json'], { cwd: workbench.folder, env });
    const { stdout } = await until(() => status().catch(() => undefined), 60_000);
    expect(JSON.parse(stdout).agents.map(({ name }: { name: string }) => name)).toContain('claude-code');
    await run(process.execPath, [PROGRAM, 'stop'], { cwd: workbench.folder, env });
  } finally {
    await workbench.close();
  }
});
