import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { everyNeovim, type Neovim, repository } from '../../../testing/neovim/neovims.ts';

interface LuaTest {
  readonly file: string;
  readonly name: string;
  readonly problem?: string;
}

/** Runs the tests in `test/lua` in a Neovim with the plugin and no bridge. */
function runLuaTests({ program }: Neovim): readonly LuaTest[] {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-lua-'));
  try {
    const tests = join(repository, 'test', 'lua');
    const results = join(folder, 'results.json');
    const run = `dofile('${tests}/harness.lua').run('${tests}', '${results}') vim.cmd('qall!')`;
    // When the plugin has started, too.
    const later = `autocmd VimEnter * lua vim.schedule(function() ${run} end)`;
    const plugin = `set runtimepath^=${repository.replace(/\/$/, '')}`;
    const args = ['--clean', '-n', '-i', 'NONE', '--headless', '--cmd', plugin, '-c', later];
    execFileSync(program, args, { cwd: folder, env: { ...process.env, HOME: folder }, stdio: 'pipe', timeout: 30_000 });
    return JSON.parse(readFileSync(results, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.each(everyNeovim)('tests in Lua, in Neovim %s', (neovim) => {
  const results = runLuaTests(neovim);

  test('every file has some', () => {
    const files = new Set(results.map(({ file }) => file));
    expect([...files]).toEqual([
      'agent_test.lua',
      'commands_test.lua',
      'compat_test.lua',
      'layout_test.lua',
      'options_test.lua',
      'proposals_test.lua',
      'texts_test.lua',
    ]);
  });

  test.each(results.map(({ file, name, problem }) => [file, name, problem] as const))(
    '%s: %s',
    (_file, _name, problem) => {
      expect(problem).toBeUndefined();
    },
  );
});
