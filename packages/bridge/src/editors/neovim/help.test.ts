import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everyNeovim, repository } from '../../../testing/neovim/neovims.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';

const text = readFileSync(join(repository, 'doc', 'hawser.txt'), 'utf8');

/** The code in a block of a page, the first of this language after a heading. */
function codeIn(page: string, heading: string, language: string): string {
  const part = page.slice(page.indexOf(heading));
  return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(part)?.[1] ?? '';
}

describe.each(everyNeovim)('the help in Neovim %s', (neovim) => {
  const start = async (folder: string): Promise<NeovimUser> => {
    const user = await NeovimUser.start(neovim, { folder });
    onTestFinished(() => user.dispose());
    return user;
  };

  it('opens after the steps that docs/install.md has for a packpath', () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'src'));
    symlinkSync(repository.replace(/\/$/, ''), join(home, 'src', 'hawser'));
    const page = readFileSync(join(repository, 'docs', 'install.md'), 'utf8');
    const steps = codeIn(page, '## Neovim', 'sh');
    expect(steps).toContain('ln -s');
    const environment = { PATH: process.env.PATH, HOME: home };
    execFileSync('sh', ['-ec', steps], { cwd: home, env: environment });
    mkdirSync(join(home, '.config', 'nvim'), { recursive: true });
    writeFileSync(join(home, '.config', 'nvim', 'init.lua'), "require('hawser').setup {}\n");
    const report = join(home, 'report');
    const commands = ['help hawser', `call writefile([expand('%:p'), getline(1), v:errmsg], '${report}')`, 'qall!'];
    const args = ['--headless', ...commands.flatMap((command) => ['-c', command])];
    execFileSync(neovim.program, args, { cwd: home, env: environment, stdio: 'pipe', timeout: 30_000 });
    const [file = '', line = '', problem] = readFileSync(report, 'utf8').split('\n');
    expect([file.endsWith('/doc/hawser.txt'), line.startsWith('*hawser.txt*'), problem]).toEqual([true, true, '']);
  });

  it('has the tags that Neovim would make', async () => {
    const folder = temporaryFolder();
    const user = await start(folder);
    cpSync(join(repository, 'doc', 'hawser.txt'), join(folder, 'doc', 'hawser.txt'));
    await user.command(`helptags ${join(folder, 'doc')}`);
    const built = readFileSync(join(repository, 'doc', 'tags'), 'utf8');
    expect(built).toBe(readFileSync(join(folder, 'doc', 'tags'), 'utf8'));
  });

  it('describes every command, mapping, function, option, event and highlight group', async () => {
    const user = await start(temporaryFolder());
    const tags = [...text.matchAll(/\*(\S+)\*(?=\s)/g)].map(([, tag]) => tag);
    const commands: string[] = await user.lua(
      `return vim.tbl_filter(function(name) return name:find('^Hawser') end,
         vim.tbl_keys(vim.api.nvim_get_commands({})))`,
    );
    expect(commands).toHaveLength(21);
    expect(tags).toEqual(expect.arrayContaining(commands.map((name) => `:${name}`)));
    const subcommands: string[] = await user.lua("return vim.fn.getcompletion('Hawser ', 'cmdline')");
    expect(subcommands).toHaveLength(21);
    for (const name of subcommands) expect(text).toMatch(new RegExp(`^:(\\[range\\])?Hawser ${name}\\b`, 'm'));

    const mappings: string[] = await user.lua(
      `return vim.tbl_map(function(map) return map.lhs end, vim.tbl_filter(function(map)
         return map.lhs:find('(hawser-', 1, true) end, vim.api.nvim_get_keymap('n')))`,
    );
    expect(mappings).toHaveLength(20);
    for (const name of mappings) expect(text).toContain(name);

    const functions: string[] = await user.lua("return vim.tbl_keys(require('hawser'))");
    const documented = functions.filter((name) => name !== 'on_vim_enter').map((name) => `hawser.${name}()`);
    expect(tags).toEqual(expect.arrayContaining(documented));

    const groups: string[] = await user.lua(
      `require('hawser.highlights').define()
       return vim.fn.getcompletion('Hawser', 'highlight')`,
    );
    expect(groups).toHaveLength(9);
    expect(tags).toEqual(expect.arrayContaining(groups.map((name) => `hl-${name}`)));

    const sources = ['bridge', 'events', 'proposals'].map((name) =>
      readFileSync(join(repository, 'lua', 'hawser', `${name}.lua`), 'utf8'),
    );
    const events = new Set(sources.join('').match(/(?<=')(Hawser(St|Agent|Proposal)|ClaudeCode)\w+(?=')/g));
    expect(events.size).toBe(8 + 6);
    for (const name of events) expect(text).toMatch(new RegExp(`^\\s*${name}\\b`, 'm'));
  });

  it('has a line for every option, and none too long', async () => {
    const user = await start(temporaryFolder());
    const options: string[] = await user.lua(
      `local names = {}
       for name, value in pairs((require('hawser.options').read(nil))) do
         if type(value) == 'table' and not (name == 'agents' or name == 'deny') then
           for inner in pairs(value) do table.insert(names, name .. '.' .. inner) end
         else table.insert(names, name) end
       end
       return names`,
    );
    for (const name of options) expect(text).toMatch(new RegExp(`^${name.replace('.', '\\.')}\\t`, 'm'));
    const layouts = ['auto', 'split', 'inline', 'tab', 'off'];
    for (const layout of layouts) expect(text).toMatch(new RegExp(`^\\t"${layout}"\\t`, 'm'));
    expect(text.split('\n').filter((line) => line.replaceAll('\t', ' '.repeat(8)).length > 100)).toEqual([]);
  });
});
