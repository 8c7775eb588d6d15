import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { Client } from '@hawser/mcp/client';
import { connectHttp } from '@hawser/mcp/http';
import { build } from 'esbuild';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Household, temporaryHousehold } from '../packages/bridge/testing/program.ts';
import { installedPackagesStayOutside } from '../scripts/installed-packages.mjs';

// Adds the agent of examples/custom-agent to a copy of the sources, as its README says, and runs that program.

const root = join(import.meta.dirname, '..');
const source = join(root, 'packages', 'bridge', 'src');
const line = "export { scribe } from './scribe/agent.ts';\n";
let copy: string;
let program: string;

beforeAll(async () => {
  // Where its imports find the packages of this repository.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const place = mkdtempSync(join(cache, 'custom-agent-'));
  copy = join(place, 'packages', 'bridge', 'src');
  cpSync(source, copy, { recursive: true });
  // The suites that `hawser editor --check` runs use it.
  cpSync(join(source, '..', 'testing'), join(copy, '..', 'testing'), { recursive: true });
  const agents = join(copy, 'agents');
  cpSync(join(root, 'examples', 'custom-agent'), join(agents, 'scribe'), { recursive: true });
  appendFileSync(join(agents, 'all.ts'), line);
  program = join(place, 'dist', 'main.mjs');
  await build({
    entryPoints: [join(copy, 'main.ts')],
    outdir: join(place, 'dist'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@hawser/source'],
    plugins: [installedPackagesStayOutside],
    define: { HAWSER_VERSION: '"0.0.0"', HAWSER_PAGES: '""' },
    logLevel: 'warning',
  });
  return () => rmSync(place, { recursive: true, force: true, maxRetries: 5 });
});

describe('an agent that is added', () => {
  it('is a folder, and one line elsewhere', () => {
    const files = (folder: string) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .filter((path) => !path.startsWith(join('agents', 'scribe')));
    expect(files(copy)).toEqual(files(source));
    const touched = files(copy).flatMap((path) => {
      const [before, after] = [source, copy].map((folder) => readFileSync(join(folder, path), 'utf8').split('\n'));
      const added = after?.filter((text) => !before?.includes(text)) ?? [];
      return added.map((text) => `${path}: ${text}`);
    });
    expect(touched).toEqual([`${join('agents', 'all.ts')}: ${line.trim()}`]);
  });

  it('keeps the types of the sources', () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.test.json'), 'utf8'));
    const project = join(copy, '..', 'tsconfig.json');
    writeFileSync(
      project,
      JSON.stringify({
        extends: join(root, 'tsconfig.base.json'),
        compilerOptions: { ...compilerOptions, paths: {} },
        files: ['src/agents/scribe/agent.ts'],
      }),
    );
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  });

  describe('and then', () => {
    let house: Household;

    beforeEach(() => {
      house = temporaryHousehold(program);
    });

    it('connects by its own file, and calls its own tools', async () => {
      const { line: printed } = await house.serve('--agents', 'scribe');
      const [, url = '', lock = ''] = /listening on (\S+) lock (.+)$/.exec(printed) ?? [];
      expect(lock).toContain(join(house.home, '.scribe'));
      const { token } = JSON.parse(readFileSync(lock, 'utf8'));
      const headers = { Authorization: `Bearer ${token}` };
      const session = await new Client({ name: 'scribe', version: '1' }).connect(connectHttp(url, { headers }));
      expect((await session.callTool('selection', {})).content).toEqual([
        { type: 'text', text: expect.stringContaining('"kind"') },
      ]);
      expect((await house.run('status')).out).toContain('scribe');
      await session.close();
      // The other direction finds it by the same file.
      expect((await house.run('tools')).out).toContain('selection');
      expect((await house.run('editors')).out).toContain('scribe');
    });

    it('is known to serve, connect, doctor and run', async () => {
      expect((await house.run('serve', '--help')).out).toContain('qwen-code, scribe');
      const { code, out } = await house.run('connect', 'scribe', '--write');
      expect([code, out]).toEqual([0, expect.stringContaining('hawser run scribe')]);
      expect(JSON.parse(readFileSync(join(house.workspace, '.scribe.json'), 'utf8'))).toMatchObject({
        servers: { hawser: { args: expect.arrayContaining(['mcp']) } },
      });
      expect((await house.run('doctor')).out).toContain('npm install -g scribe');
      const bin = join(house.home, 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'scribe'), '#!/bin/sh\necho "$1 $SCRIBE_EDITOR_PORT"\n');
      chmodSync(join(bin, 'scribe'), 0o755);
      house.moreEnv.PATH = `${bin}:${process.env.PATH}`;
      const started = await house.run('run', '--serve', 'scribe');
      expect(started.out).toMatch(/^--editor \d+\n$/);
    });
  });
});
