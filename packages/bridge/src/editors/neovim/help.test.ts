import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { neovims, repository } from '../../../testing/neovim/neovims.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';

describe('the help', () => {
  it.each(neovims)('has a tag for every command and a line for every option ($version)', async (neovim) => {
    const folder = mkdtempSync(join(tmpdir(), 'hawser-help-'));
    const user = await NeovimUser.start(neovim, { folder });
    onTestFinished(async () => {
      await user.dispose();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });
    cpSync(join(repository, 'doc', 'hawser.txt'), join(folder, 'doc', 'hawser.txt'));
    await user.command(`helptags ${join(folder, 'doc')}`);
    const tags = readFileSync(join(folder, 'doc', 'tags'), 'utf8')
      .split('\n')
      .map((line) => line.split('\t')[0]);
    const commands: string[] = await user.lua(
      `return vim.tbl_filter(function(name) return name:find('^Hawser') end,
         vim.tbl_keys(vim.api.nvim_get_commands({})))`,
    );
    expect(commands).toHaveLength(16);
    expect(tags).toEqual(expect.arrayContaining(commands.map((name) => `:${name}`)));
    const functions: string[] = await user.lua("return vim.tbl_keys(require('hawser'))");
    const documented = functions.filter((name) => name !== 'on_vim_enter').map((name) => `hawser.${name}()`);
    expect(tags).toEqual(expect.arrayContaining(documented));

    const text = readFileSync(join(folder, 'doc', 'hawser.txt'), 'utf8');
    const options: string[] = await user.lua(
      `local names = {}
       for name, value in pairs(require('hawser.options').defaults) do
         if type(value) == 'table' and not (name == 'agents' or name == 'deny') then
           for inner in pairs(value) do table.insert(names, name .. '.' .. inner) end
         else table.insert(names, name) end
       end
       return names`,
    );
    for (const name of options) expect(text).toMatch(new RegExp(`^${name.replace('.', '\\.')}\\t`, 'm'));
    expect(text.split('\n').filter((line) => line.replaceAll('\t', ' '.repeat(8)).length > 100)).toEqual([]);
  });
});
