import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';

const script = fileURLToPath(new URL('../scripts/lua.mjs', import.meta.url));

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'a.lua');
});

function lua(args: readonly string[], env = process.env): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr });
    });
  });
}

test('Lua that is not formatted fails the check and is named, and --write formats it', async () => {
  writeFileSync(file, 'local M = { name = "a" }\nfunction M.run()\n\treturn M.name\nend\nreturn M\n');
  const unformatted = `These files are not formatted; run npm run format:\n  ${file}\n`;
  expect(await lua([folder])).toEqual({ code: 1, output: unformatted });
  expect(await lua(['--write', folder])).toEqual({ code: 0, output: '' });
  expect(readFileSync(file, 'utf8')).toBe(
    "local M = { name = 'a' }\nfunction M.run()\n  return M.name\nend\nreturn M\n",
  );
  expect(await lua([folder])).toEqual({ code: 0, output: '' });
});

test('what luacheck finds fails the check, and vim is known', async () => {
  writeFileSync(file, 'local api = vim.api\nvim.g.a = b\n');
  const { code, output } = await lua([folder]);
  expect(code).toBe(1);
  expect(output).toMatch(/a\.lua:1:7: unused variable 'api'\n.*a\.lua:2:11: accessing undefined variable 'b'\n$/);
});

test('Lua that has a mistake in its syntax is named and left as it is', async () => {
  writeFileSync(file, 'local = 1\n');
  const { code, output } = await lua(['--write', folder]);
  expect(code).toBe(1);
  expect(output).toMatch(/^.*a\.lua was not formatted: .*\n/);
  expect(readFileSync(file, 'utf8')).toBe('local = 1\n');
});

test('without luacheck the check fails and says how to install it', async () => {
  writeFileSync(file, 'return 1\n');
  const { code, output } = await lua([folder], { ...process.env, PATH: folder });
  expect(code).toBe(1);
  expect(output).toContain('luacheck is missing');
  expect(output).toContain('sudo apt-get install lua-check');
});
