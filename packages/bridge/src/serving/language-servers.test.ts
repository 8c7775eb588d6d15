import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { childrenOf, commandOf, npmPrograms, writeProgram } from '../../testing/language-programs.ts';
import { hasEnded } from '../../testing/neovim/processes.ts';
import { type Household, type ServedBridge, temporaryHousehold } from '../../testing/program.ts';

let house: Household;
let uri: string;

beforeEach(() => {
  house = temporaryHousehold();
  const bin = join(house.workspace, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(npmPrograms, 'tsc'), join(bin, 'tsc'));
  // Without it, the language server lets npm install types below the home folder, which is removed after the test.
  writeFileSync(join(house.workspace, 'tsconfig.json'), '{ "typeAcquisition": { "enable": false } }');
  const file = join(house.workspace, 'a.ts');
  writeFileSync(file, 'export const count: number = "x";\n');
  uri = `file://${file}`;
});

const descendantsOf = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
const serversOf = ({ child }: ServedBridge) =>
  descendantsOf(child.pid ?? 0).filter((pid) => commandOf(pid).includes('--lsp'));
const languages = async () =>
  (await house.run('status')).out.split('\n').filter((line) => line.startsWith('languages'));

describe('hawser serve in a project with a language server', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'starts it for the first question, says so, and leaves none behind after %s',
    async (signal) => {
      const bridge = await house.serve('--trust');
      const agent = await house.agent(bridge.line);
      const [before = ''] = await languages();
      expect(before).toMatch(
        /^languages {2}tsc --lsp 7\.\S+ \(not started\) for typescript, .* in \S+work, from \S+tsc$/,
      );
      expect(serversOf(bridge)).toEqual([]);
      const changed = agent.notification('diagnostics_changed');
      expect(await agent.callJson('getDiagnostics', { uri })).toMatchObject([
        { uri, diagnostics: [{ severity: 'Error', code: '2322', range: { start: { line: 0, character: 13 } } }] },
      ]);
      expect(await changed).toEqual({ uris: [uri] });
      expect((await languages())[0]).toContain('(running)');
      const servers = serversOf(bridge);
      expect(servers.length).toBeGreaterThan(0);
      bridge.child.kill(signal);
      for (const pid of servers) await hasEnded(pid);
    },
  );

  it.each([
    [
      'path',
      [
        'languages  no language servers found',
        'languages  TypeScript is not checked: npm i -D typescript typescript-language-server adds a language server',
      ],
    ],
    ['off', []],
  ])('with --language-servers %s starts nothing of the workspace', async (where, expected) => {
    // The machine may have language servers.
    house.moreEnv.PATH = join(house.home, 'bin');
    const bridge = await house.serve('--language-servers', where);
    const agent = await house.agent(bridge.line);
    expect(await agent.callJson('getDiagnostics', { uri })).toEqual([{ uri, diagnostics: [] }]);
    expect(await languages()).toEqual(expected);
    expect(serversOf(bridge)).toEqual([]);
  });

  it('a program that fails is in the log and in the status, with the reason', async () => {
    const bin = join(house.workspace, 'node_modules', '.bin');
    writeFileSync(join(bin, 'gopls'), '#!/bin/sh\necho no go here >&2\nexit 2\n', { mode: 0o755 });
    writeFileSync(join(house.workspace, 'a.go'), 'package a\n');
    const bridge = await house.serve('--trust');
    const agent = await house.agent(bridge.line);
    const logged = bridge.logs('no go here');
    const go = `file://${join(house.workspace, 'a.go')}`;
    expect(await agent.callJson('getDiagnostics', { uri: go })).toEqual([{ uri: go, diagnostics: [] }]);
    await logged;
    expect(await languages()).toContainEqual(expect.stringMatching(/gopls \(failed\) .*exit code 2: no go here$/));
  });

  it('runs no program of a folder that the user has not trusted, says so, and does once it is trusted', async () => {
    // The machine may have language servers.
    house.moreEnv.PATH = dirname(process.execPath);
    const program = join(house.workspace, 'node_modules', '.bin', 'vtsls');
    const trace = join(house.home, 'was-run');
    rmSync(join(house.workspace, 'node_modules', '.bin', 'tsc'));
    writeProgram(program, `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '');`);
    const bridge = await house.serve();
    const agent = await house.agent(bridge.line);
    expect(await agent.callJson('getDiagnostics', { uri })).toEqual([{ uri, diagnostics: [] }]);
    expect(existsSync(trace)).toBe(false);
    const words = 'it is part of a folder that you have not trusted; hawser trust lets it run';
    expect(await languages()).toEqual([expect.stringMatching(new RegExp(`vtsls \\(not trusted\\) .*: ${words}$`))]);
    expect((await house.run('trust')).out).toContain(`hawser: trusted: ${house.workspace}.`);
    expect((await house.run('trust', '--list')).out).toBe(`${house.workspace}\n`);
    expect(await languages()).toEqual([expect.stringContaining('vtsls (not started)')]);
    await agent.callJson('getDiagnostics', { uri });
    expect(existsSync(trace)).toBe(true);
    expect((await house.run('trust', '--forget')).out).toBe(`hawser: no longer trusted: ${house.workspace}\n`);
    expect(await languages()).toEqual([expect.stringContaining('vtsls (not trusted)')]);
  });

  it('programs on PATH run in any folder, before it is trusted', async () => {
    house.moreEnv.PATH = [join(house.home, 'bin'), dirname(process.execPath)].join(delimiter);
    const trace = join(house.home, 'was-run');
    writeProgram(join(house.home, 'bin', 'vtsls'), `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '');`);
    const agent = await house.agent((await house.serve()).line);
    await agent.callJson('getDiagnostics', { uri });
    expect(existsSync(trace)).toBe(true);
    expect(await languages()).toEqual([
      expect.stringMatching(/vtsls \(.* from .*\/bin\/vtsls/),
      expect.stringContaining('tsc --lsp 7'),
    ]);
  });
});
