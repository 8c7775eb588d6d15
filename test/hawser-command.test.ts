import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';

const run = promisify(execFile);
const bridge = fileURLToPath(new URL('../packages/bridge', import.meta.url));
const packageJson = JSON.parse(readFileSync(join(bridge, 'package.json'), 'utf8'));
const env = { PATH: process.env.PATH, HOME: '' };
const offline = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  env.HOME = folder;
});

describe('the hawser command', () => {
  it('has what limits the reading of files once, so that two bundles do not double the limit', () => {
    const chunks = readdirSync(join(bridge, 'dist', 'chunks')).filter((name) => name.endsWith('.cjs'));
    const having = chunks.filter((name) =>
      /is a named pipe|a named pipe/.test(readFileSync(join(bridge, 'dist', 'chunks', name), 'utf8')),
    );
    expect(having).toEqual(['regular-file.cjs']);
  });

  it('is in node_modules/.bin after npm install, before anything is built, and runs after the build', async () => {
    const copy = join(folder, 'packages', 'bridge');
    mkdirSync(copy, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, workspaces: ['packages/*'] }));
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...packageJson, devDependencies: {} }));
    cpSync(join(bridge, 'bin'), join(copy, 'bin'), { recursive: true });
    await run('npm', ['install', ...offline], { cwd: folder, env });
    const command = join(folder, 'node_modules', '.bin', 'hawser');
    await expect(run(command, ['--version'], { env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not built. Run npm run build in the repository first.'),
    });
    cpSync(join(bridge, 'dist'), join(copy, 'dist'), { recursive: true });
    expect((await run(command, ['--version'], { env })).stdout).toBe(`${packageJson.version}\n`);
  });

  it('runs with any Node, also one that its bundles were not compiled for', async () => {
    cpSync(join(bridge, 'bin'), join(folder, 'bin'), { recursive: true });
    cpSync(join(bridge, 'dist'), join(folder, 'dist'), { recursive: true });
    const chunks = join(folder, 'dist', 'chunks');
    const compiled = readdirSync(chunks).filter((name) => /\.cjs\.\d/.test(name));
    expect(compiled).not.toEqual([]);
    const help = async () => (await run(join(folder, 'bin', 'hawser.cjs'), ['--help'], { env })).stdout;
    const expected = await help();
    for (const name of compiled) writeFileSync(join(chunks, name), 'compiled by something else');
    expect(await help()).toBe(expected);
    for (const name of compiled) rmSync(join(chunks, name));
    expect(await help()).toBe(expected);
  });

  it('is installed for the user by npm install --global, as the README says', async () => {
    await run('npm', ['install', '--global', '--prefix', folder, ...offline, bridge], { cwd: folder, env });
    const command = join(folder, 'bin', 'hawser');
    expect((await run(command, ['--version'], { env })).stdout).toBe(`${packageJson.version}\n`);
    expect((await run(command, ['serve', '--help'], { env })).stdout).toContain('Usage: hawser serve [options]');
  });

  it('is in the package that npm publishes, with every file that it loads', async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--dry-run', '--ignore-scripts'], { cwd: bridge, env });
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['bin/hawser.cjs', 'dist/main.cjs', 'dist/chunks/command-line.cjs']));
    expect(existsSync(join(bridge, packageJson.bin.hawser))).toBe(true);
  });
});
