import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectMcp, type McpClient } from '../../../testing/mcp-client.ts';
import { attachNeovim } from '../../../testing/neovim/attach.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { startTypescript } from '../../../testing/neovim/typescript-server.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import { User } from '../../../testing/user.ts';
import { makeAccess } from '../../access/access.ts';
import type { OpenAdapter } from '../../agent.ts';
import { type Bridge, openBridge } from '../../bridge.ts';
import type { Reviewer } from '../../review/reviewer.ts';
import { mcpAdapter } from './adapter.ts';

const FILES = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true } }',
  'greet.ts': "export function greet(name: string): string {\n  return 'hello ' + name;\n}\n",
  'main.ts': "import { greet } from './greet';\n\ngreet('you');\n",
  'other.ts': "import { greet } from './greet';\n\nexport const other = greet('other');\n",
  'a.ts': 'export const wave = 1;\n',
  'b.ts': "import { wave } from './a';\n\nexport const twice = wave * 2;\n",
  'c.ts': "import { wave } from './a';\n\nexport const thrice = wave * 3;\n",
  'unused.ts': "import { greet } from './greet';\n\nexport const one = 1;\n",
};

const [neovim] = neovims;

/** A language server, Neovim, the bridge and an agent of the official SDK; nothing in between is left out. */
describe(`the mcp adapter with Neovim ${neovim?.version} and its language server`, () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-mcp-')));
  const path = (name: string) => join(home, name);
  const onDisk = (name: string) => readFileSync(path(name), 'utf8');
  const watching = new User();
  let user: NeovimUser;
  let bridge: Bridge;
  let adapter: OpenAdapter;
  let agent: McpClient;

  beforeAll(async () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(path(name), text);
    if (neovim === undefined) throw new Error('There is no Neovim');
    user = await NeovimUser.start(neovim, {
      folder: home,
      before: `require('hawser').setup { auto_start = false, diff = { idle = 0, grace = 0 } }
        ${startTypescript(home)}`,
    });
    const editor = await attachNeovim(user);
    bridge = await openBridge({
      editor,
      access: makeAccess({ folders: [home], deny: ['/other.ts'] }),
      agents: [mcpAdapter({ stateFolder: path('state') })],
      reviewers: [editor.reviewer as Reviewer, watching],
      noticing: 'off',
      identity: { name: 'Hawser', version: '0', pid: process.pid },
    });
    adapter = bridge.agents[0] as OpenAdapter;
  });
  afterAll(async () => {
    await bridge.close();
    await user.dispose();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  beforeEach(async () => {
    agent = await connectMcp(adapter);
  });

  /** Waits until Neovim shows a proposal for the file, and lets the user act on it. */
  const act = async (name: string, ...commands: string[]) => {
    const first = "require('hawser.diff').pending()[1]";
    await user.until(`${first} and ${first}.state == 'shown' and ${first}.path == ...`, path(name));
    for (const command of commands) await user.command(command);
  };
  const lines = (name: string) =>
    user.lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)', path(name));

  it('lists the language features, and finds definitions, references, types and symbols without files being open', async () => {
    expect(await agent.names()).toEqual(
      [
        ...['code_actions', 'document_symbols', 'find_definition', 'find_references', 'format_file', 'get_diagnostics'],
        ...['get_selection', 'hover', 'list_open_files', 'open_file', 'propose_edit', 'rename_symbol', 'save_file'],
        'workspace_symbols',
      ].sort(),
    );
    const place = { path: 'main.ts', symbol: 'greet', line: 3 };
    const definition = { path: 'greet.ts', line: 1, column: 17, text: 'export function greet(name: string): string {' };
    expect((await agent.call('find_definition', place)).data).toEqual({
      locations: [definition],
      omitted: 0,
      hidden: 0,
    });
    // Two of them are in a file that is denied.
    const references = await agent.call('find_references', { path: 'main.ts', line: 3, column: 1 });
    expect(references.data.hidden).toBe(2);
    expect(references.data.locations).toContainEqual(definition);
    expect(references.text).not.toContain('other.ts');
    expect((await agent.call('hover', place)).text).toContain('function greet(name: string): string');
    const outline = await agent.call('document_symbols', { path: 'greet.ts' });
    expect(outline.data.symbols).toMatchObject([{ name: 'greet', kind: 'function', line: 1, end_line: 3 }]);
    const found = await agent.call('workspace_symbols', { query: 'greet' });
    expect(found.data.symbols).toContainEqual(expect.objectContaining({ name: 'greet', path: 'greet.ts', line: 1 }));
  });

  it('says what is wrong with a place', async () => {
    for (const [args, text] of [
      [{ path: 'main.ts', symbol: 'gree', line: 3 }, "gree is not in main.ts in line 3, which is: greet('you');"],
      [{ path: 'main.ts' }, 'Give symbol, or line and column'],
      [{ path: 'other.ts', symbol: 'greet' }, 'Denied'],
    ] as const) {
      const answer = await agent.call('hover', args);
      expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining(text)]);
    }
  });

  it('a rename that would change a denied file is refused, and changes nothing', async () => {
    const args = { path: 'greet.ts', symbol: 'greet', line: 1, new_name: 'welcome' };
    const answer = await agent.call('rename_symbol', args);
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining('would change 1 files')]);
    expect(onDisk('greet.ts')).toBe(FILES['greet.ts']);
  });

  it('an accepted edit is in the file and in the buffer, where the user can undo it', async () => {
    await agent.call('open_file', { path: 'unused.ts' });
    const answer = agent.call('propose_edit', {
      path: 'unused.ts',
      edits: [{ old_text: 'one = 1', new_text: 'two = 2' }],
    });
    await act('unused.ts', 'HawserAccept');
    expect((await answer).data).toEqual({ files: [{ path: 'unused.ts', outcome: 'written' }] });
    expect(onDisk('unused.ts')).toBe(FILES['unused.ts'].replace('one = 1', 'two = 2'));
    await user.command(`buffer ${path('unused.ts')} | silent undo`);
    expect((await lines('unused.ts'))[2]).toBe('export const one = 1;');
    await user.command('silent write');
  });

  it('the model learns which hunks the user took, and that the editor formatted the file', async () => {
    const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('');
    writeFileSync(path('long.txt'), text);
    await user.command('autocmd BufWritePre *long.txt silent %s/line 10/line ten/e');
    const edits = [
      { old_text: 'line 1\n', new_text: 'first\n' },
      { old_text: 'line 20\n', new_text: 'last\n' },
    ];
    const answer = agent.call('propose_edit', { path: 'long.txt', edits });
    await act('long.txt', 'HawserNextHunk', 'HawserRejectHunk', 'HawserAccept');
    const [file] = (await answer).data.files;
    expect(file.outcome).toBe('written with changes by the user');
    const isFirstRejected = file.user_changes.includes('+line 1\n');
    expect(file.user_changes).toContain(isFirstRejected ? '-first\n+line 1\n' : '-last\n+line 20\n');
    expect(file.changes_on_save).toContain('-line 10\n+line ten\n');
    expect(onDisk('long.txt')).toContain(isFirstRejected ? 'last\n' : 'first\n');
    await user.command('autocmd! BufWritePre *long.txt');
  });

  it('a proposal for a file that another was written to through Neovim is refreshed', async () => {
    writeFileSync(path('both.txt'), 'a\nb\nc\nd\ne\n');
    const second = await connectMcp(adapter, 'another-agent');
    const first = agent.call('propose_edit', { path: 'both.txt', edits: [{ old_text: 'a\n', new_text: 'A\n' }] });
    await act('both.txt');
    const view = watching.next();
    const later = second.call('propose_edit', { path: 'both.txt', edits: [{ old_text: 'e\n', new_text: 'E\n' }] });
    const { review } = await view;
    // Neovim may empty the file before it writes, which is seen as another change.
    const merged = new Promise<void>((resolve) => {
      review.onRefresh(() => review.proposal.base === 'merged' && resolve());
    });
    await user.command('HawserAccept');
    expect((await first).data.files[0].outcome).toBe('written');
    await merged;
    expect(review.proposal).toMatchObject({ base: 'merged', newText: 'A\nb\nc\nd\nE\n' });
    await act('both.txt', 'HawserAccept');
    expect((await later).data.files[0]).toMatchObject({
      outcome: 'written',
      reason: expect.stringContaining('changed'),
    });
    expect(onDisk('both.txt')).toBe('A\nb\nc\nd\nE\n');
  });

  it('a rename is one set over several files; each decision counts, and the result names what was not written', async () => {
    const shown = [watching.next(), watching.next(), watching.next()];
    const answer = agent.call('rename_symbol', { path: 'a.ts', symbol: 'wave', new_name: 'salute' });
    const sets = (await Promise.all(shown)).map(({ proposal }) => proposal.set);
    expect(sets.map((set) => [set?.title, set?.index, set?.size])).toEqual(
      [0, 1, 2].map((index) => ['Rename wave to salute', index, 3]),
    );
    const order = watching.shown.slice(-3).map(({ proposal }) => proposal.path.split('/').at(-1) as string);
    for (const name of order) await act(name, name === 'c.ts' ? 'HawserReject' : 'HawserAccept');
    const { files } = (await answer).data;
    expect(
      Object.fromEntries(files.map((file: { path: string; outcome: string }) => [file.path, file.outcome])),
    ).toEqual({
      'a.ts': 'written',
      'b.ts': 'written',
      'c.ts': 'rejected',
    });
    expect(onDisk('a.ts')).toBe('export const salute = 1;\n');
    expect(onDisk('b.ts')).toBe("import { salute } from './a';\n\nexport const twice = salute * 2;\n");
    expect(onDisk('c.ts')).toBe(FILES['c.ts']);
  });

  it('code actions are listed, and one is applied by proposing it', async () => {
    const place = { path: 'unused.ts', line: 1, kind: 'source.organizeImports' };
    const { actions } = (await agent.call('code_actions', place)).data;
    const title = actions[0].title;
    const wrong = await agent.call('code_actions', { ...place, apply: 'no such action' });
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining(title)]);
    const answer = agent.call('code_actions', { ...place, apply: title });
    await act('unused.ts', 'HawserAccept');
    expect((await answer).data.files[0].outcome).toBe('written');
    expect(onDisk('unused.ts')).not.toContain('import');
  });
});
