import { join } from 'node:path';
import { repository } from './neovims.ts';

/** The language server of TypeScript 7. */
const PROGRAM = join(repository, 'node_modules', '.bin', 'tsc');

/** Lua that has Neovim, of any version, start it for the TypeScript files of a folder. */
export function startTypescript(folder: string): string {
  return `local id
    vim.api.nvim_create_autocmd('FileType', { pattern = 'typescript', callback = function(event)
      local options = { name = 'tsc', cmd = { '${PROGRAM}', '--lsp', '--stdio' }, root_dir = '${folder}' }
      if vim.lsp.start then vim.lsp.start(options) else
        id = id or vim.lsp.start_client(options)
        vim.lsp.buf_attach_client(event.buf, id)
      end
    end })`;
}
