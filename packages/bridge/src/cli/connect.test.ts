import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Household, PROGRAM, temporaryHousehold } from '../../testing/program.ts';

let house: Household;
let settings: string;

beforeEach(() => {
  house = temporaryHousehold();
  settings = join(house.workspace, '.gemini', 'settings.json');
});

it('hawser connect prints what to do and the exact configuration, and writes nothing', async () => {
  const { code, out } = await house.run('connect', 'gemini');
  expect([code, existsSync(settings)]).toEqual([0, false]);
  expect(out).toContain(
    'Gemini CLI\n\nWith its own connection to editors:\n  Start it in the folder that Hawser serves',
  );
  expect(out).toContain(`as an MCP server, in ${settings}:\n  {\n    "ide": {\n      "enabled": true\n    },`);
  expect(out).toContain('hawser connect gemini --write writes this there');
});

it.each(['claude', 'codex'])('hawser connect %s names the gate, which has every change reviewed', async (agent) => {
  expect((await house.run('connect', agent)).out).toContain(`hawser gate on ${agent}`);
});

it('hawser connect jetbrains names the plugin, and without it the MCP server of the IDE and its chat', async () => {
  const { out } = await house.run('connect', 'jetbrains');
  for (const words of ['plugin of Hawser from disk', 'Settings | Tools | MCP Server', '~/.jetbrains/acp.json']) {
    expect(out).toContain(words);
  }
});

it('--write makes the change once, and keeps what is in the file; --dry-run shows it', async () => {
  mkdirSync(join(house.workspace, '.gemini'));
  const text = '{\n  // mine\n  "ui": { "theme": "x" }\n}\n';
  writeFileSync(settings, text);
  const { out: diff } = await house.run('connect', 'gemini', '--dry-run');
  expect(diff).toContain(`--- ${settings}\n+++ ${settings}\n`);
  expect(diff).toContain('+    "enabled": true');
  expect(readFileSync(settings, 'utf8')).toBe(text);
  expect((await house.run('connect', 'gemini', '--write')).out).toContain(`hawser: wrote ${settings}\n`);
  const written = readFileSync(settings, 'utf8');
  expect(written.startsWith('{\n  // mine\n  "ui": { "theme": "x" },\n  "ide": {')).toBe(true);
  // The program has no name that agents could find it by.
  expect(written).toContain(`"args": [${JSON.stringify(PROGRAM)}, "mcp"]`);
  expect((await house.run('connect', 'gemini', '--write')).out).toBe(
    `hawser: ${settings} has these settings already\n`,
  );
  expect(readFileSync(settings, 'utf8')).toBe(written);
});

it('the program is called by its name where agents find it', async () => {
  const bin = join(house.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'hawser'), '');
  chmodSync(join(bin, 'hawser'), 0o755);
  house.moreEnv.PATH = `${bin}:${process.env.PATH}`;
  expect((await house.run('connect', 'codex')).out).toContain('  command = "hawser"\n  args = ["mcp"]\n');
});

it('a file that can not be read as its format stays, and a mistyped agent gets a suggestion', async () => {
  mkdirSync(join(house.workspace, '.gemini'));
  writeFileSync(settings, '{ broken');
  expect(await house.run('connect', 'gemini', '--write')).toEqual({
    code: 1,
    out: '',
    err: expect.stringContaining(`${settings} was not changed: line 1 is not valid JSON`),
  });
  expect(readFileSync(settings, 'utf8')).toBe('{ broken');
  expect(await house.run('connect', 'gemni')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean gemini?'),
  });
});
