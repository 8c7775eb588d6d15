import { attachNeovim } from '../../../testing/neovim/attach.ts';
import { type Neovim, neovims } from '../../../testing/neovim/neovims.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import { describeEditor, type EditorUnderTest } from '../../editor.contract.ts';
import { describeWriteText } from '../../write-text.contract.ts';

const SETUP = `
  vim.o.formatprg = 'tr a-z A-Z'
  require('hawser').setup { auto_start = false, selection = { debounce_ms = 1 }, diff = { idle = 0, grace = 0 } }`;

async function makeEditor(neovim: Neovim, folder: string): Promise<EditorUnderTest> {
  const user = await NeovimUser.start(neovim, { folder, before: SETUP });
  const editor = await attachNeovim(user);
  // Mentions wait for an agent.
  const agents = [{ name: 'an agent', state: 'ready' } as const];
  editor.showStatus({ agents, paused: false, proposals: 0, environment: {}, name: 'Neovim' });
  return {
    editor,
    type: async (path, text) => void (await user.type(path, text)),
    select: (path, range) => user.select(path, range),
    mention: async (path, lines) => {
      await user.lua("require('hawser').send(...)", path, ...(lines ? [lines.first + 1, lines.last + 1] : []));
    },
    changeFolders: async ([folder]) => void (await user.command(`cd ${folder}`)),
    report: async (path, problem) => void (await user.report(path, problem)),
    unformatted: { name: 'a.txt', text: 'loud\n', formatted: 'LOUD\n' },
    dispose: async () => {
      await editor.close();
      await user.dispose();
    },
  };
}

for (const neovim of neovims) {
  describeEditor(`Neovim ${neovim.version}`, (folder) => makeEditor(neovim, folder));
  describeWriteText(`Neovim ${neovim.version}`, (folder) => makeEditor(neovim, folder));
}
