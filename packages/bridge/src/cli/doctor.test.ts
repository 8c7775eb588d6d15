import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { Environment } from '../command-line/environment.ts';
import { discoveryFindings, folderFindings } from '../diagnosis/folders.ts';
import { programFindings } from '../diagnosis/programs.ts';
import { proxyFinding } from '../diagnosis/proxies.ts';
import { trustFinding } from '../diagnosis/trust.ts';
import { TrustedFolders } from '../serving/trusted-folders.ts';
import { nodeFinding } from './doctor.ts';

/** What the checks read of it. */
function environmentIn(home: string): Environment {
  const places = { home, cwd: home, stateFolder: join(home, 'state'), temporaryFolder: join(home, 'tmp') };
  return { ...places, isWindows: false, variables: {} } as Environment;
}

it.each([
  ['20.18.9', 'problem'],
  ['18.20.0', 'problem'],
  ['20.19.0', 'ok'],
  ['24.1.0', 'ok'],
])('Node %s: %s', (version, status) => {
  expect(nodeFinding(version)).toMatchObject({ status });
});

it.each([
  [{}, 'ok'],
  [{ HTTPS_PROXY: 'http://p' }, 'ok'],
  [{ HTTP_PROXY: 'http://p' }, 'warning'],
  [{ http_proxy: 'http://p', NO_PROXY: 'localhost' }, 'warning'],
  [{ http_proxy: 'http://p', no_proxy: 'localhost, 127.0.0.1' }, 'ok'],
  [{ ALL_PROXY: 'http://p', NO_PROXY: '*' }, 'ok'],
])('proxies in %j: %s', (variables, status) => {
  expect(proxyFinding(variables)).toMatchObject({ status });
});

it('folders that others can write to are a problem, with the command that helps', () => {
  const home = temporaryFolder();
  const folder = join(home, '.claude', 'ide');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect(folderFindings(environmentIn(home))).toEqual([
    {
      id: 'folder-claude-code',
      title: 'claude-code folder',
      status: 'problem',
      detail: `${folder}: other users can write to it`,
      advice: `chmod 700 ${folder}`,
    },
  ]);
  chmodSync(folder, 0o700);
  expect(folderFindings(environmentIn(home))).toMatchObject([{ status: 'ok', detail: folder }]);
});

it('a file where a folder should be is a problem', () => {
  const home = temporaryFolder();
  writeFileSync(join(home, '.claude'), '');
  const folder = join(home, '.claude', 'ide');
  expect(folderFindings(environmentIn(home))).toMatchObject([
    { id: 'folder-claude-code', status: 'problem', detail: `${folder} can't be looked at: ENOTDIR: not a directory` },
  ]);
});

it('stale files and files that can not be read are warnings', async () => {
  const home = temporaryFolder();
  expect(await discoveryFindings(environmentIn(home))).toMatchObject([{ status: 'ok' }]);
  const folder = join(home, '.claude', 'ide');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '4000.lock'), JSON.stringify({ pid: 4_194_305 }));
  writeFileSync(join(folder, '4001.lock'), '{');
  expect(await discoveryFindings(environmentIn(home))).toMatchObject([
    { id: 'discovery-files', status: 'warning', detail: `1 stale: ${join(folder, '4000.lock')}` },
    { id: 'discovery-file-unreadable', detail: `${join(folder, '4001.lock')}: It holds no JSON object` },
  ]);
});

it('programs are found with their versions; one that fails or hangs is named', async () => {
  const bin = temporaryFolder();
  const program = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  program('claude', 'echo "2.1.3 (Claude Code)"; echo more');
  program('codex', 'exit 3');
  program('gemini', 'exec sleep 60');
  const findings = await programFindings({ PATH: `${bin}:/usr/bin:/bin` }, 1000);
  const of = (id: string) => findings.find((finding) => finding.id === id);
  expect(of('claude-code')).toMatchObject({
    status: 'ok',
    detail: '2.1.3 (Claude Code). Its changes are reviewed here while it is in manual mode.',
    advice: 'Shift-Tab in it changes the mode.',
  });
  expect(of('codex')).toMatchObject({ status: 'warning', detail: expect.stringContaining('codex --version failed') });
  expect(of('gemini-cli')).toMatchObject({ status: 'warning', detail: 'gemini --version did not end within 1 s' });
  expect(of('opencode')).toMatchObject({ status: 'missing', advice: expect.stringContaining('npm install') });
});

it('programs that are part of a folder are a warning until the user trusts it, or one around it', () => {
  const home = temporaryFolder();
  const environment = { ...environmentIn(home), cwd: join(home, 'project') };
  mkdirSync(environment.cwd);
  expect(trustFinding(environment)).toMatchObject({ status: 'ok', detail: 'none found' });
  mkdirSync(join(environment.cwd, 'node_modules', '.bin'), { recursive: true });
  expect(trustFinding(environment)).toMatchObject({
    status: 'warning',
    detail: 'not trusted: language servers in node_modules/.bin are not run',
    advice: 'If you trust who wrote them: hawser trust',
  });
  new TrustedFolders(environment.stateFolder).add(home);
  expect(trustFinding(environment)).toMatchObject({ status: 'ok', detail: 'trusted' });
});
