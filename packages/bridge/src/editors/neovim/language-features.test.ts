import { attachNeovim } from '../../../testing/neovim/attach.ts';
import { type Neovim, neovims } from '../../../testing/neovim/neovims.ts';
import { startTypescript } from '../../../testing/neovim/typescript-server.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import { describeLanguageFeatures, type LanguageFeaturesUnderTest } from '../../language-features.contract.ts';

// The language server of the compiler that this repository is built with. On 0.11 and later it counts columns in bytes.

async function start(neovim: Neovim, folder: string): Promise<LanguageFeaturesUnderTest> {
  const user = await NeovimUser.start(neovim, {
    folder,
    before: `require('hawser').setup { auto_start = false }
        ${startTypescript(folder)}`,
  });
  const editor = await attachNeovim(user);
  return {
    editor: {
      ...editor,
      openFile: async (location) => {
        const document = await editor.openFile(location);
        if (!location.path.endsWith('.ts')) return document;
        await user.until(
          `(function(path) local buf = vim.fn.bufnr(path)
             local all = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buf })
               or vim.tbl_values(vim.lsp.buf_get_clients(buf))
             return all[1] ~= nil and all[1].initialized end)(...)`,
          location.path,
        );
        return document;
      },
    },
    dispose: async () => {
      await editor.close();
      await user.dispose();
    },
  };
}

for (const neovim of neovims) describeLanguageFeatures(`Neovim ${neovim.version}`, (folder) => start(neovim, folder));
