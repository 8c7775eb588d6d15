import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const EXAMPLE = join(root, 'examples', 'embedded-bridge', 'bridge.mjs');

let home: string;

beforeEach(() => {
  home = temporaryFolder();
});

it('a program opens and closes a bridge with the built package', async () => {
  const env = { PATH: process.env.PATH, HOME: home };
  const { stdout } = await run(process.execPath, [EXAMPLE], { cwd: home, env });
  expect(stdout).toMatch(/^listening on ws:\/\/127\.0\.0\.1:\d+\/\n$/);
});

it('its types are found by the name of the package', async () => {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const program = join(cache, 'hawser-library.ts');
  writeFileSync(
    program,
    `import { type Bridge, type BridgeOptions, openBridge, type Reviewer } from 'hawser';
     const open: (options: BridgeOptions) => Promise<Bridge> = openBridge;
     export const reviewer: Reviewer = { name: 'mine', show: (review) => void review.decide({ kind: 'rejected' }, review.proposal.revision) };
     // @ts-expect-error: there is no such option
     void open({ editr: undefined });\n`,
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  await run(join(root, 'node_modules', '.bin', 'tsc'), [...options, '--ignoreConfig', program], { cwd: root });
});
