import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAtLeast, neovims, repository } from '../../../testing/neovim/neovims.ts';
import { Served } from '../../../testing/neovim/served.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';

// TypeScript's own language server: the one of the compiler that this repository is built with.
const SERVER = join(repository, 'node_modules', '.bin', 'tsc');

describe.each(neovims)('with a language server in Neovim %s', (neovim) => {
  let served: Served;

  const startServer = async (root: string) => {
    await served.user.lua(
      `local server, root = ...
         local options = { name = 'tsc', cmd = { server, '--lsp', '--stdio' }, root_dir = root,
           workspace_folders = { { uri = vim.uri_from_fname(root), name = root } } }
         if vim.lsp.start then vim.lsp.start(options)
         else vim.lsp.buf_attach_client(0, vim.lsp.start_client(options)) end`,
      SERVER,
      root,
    );
    await served.user.until(
      `(function() local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
           return clients[1] ~= nil and clients[1].initialized end)()`,
    );
  };

  it('its diagnostics are sent, and its folder is one of the workspace', async (context) => {
    context.skip(!isAtLeast(neovim, 0, 10), 'Neovim asks for diagnostics from 0.10 on');
    served = await Served.start(neovim);
    const agent = await served.agent();
    const project = served.path('project');
    mkdirSync(join(project, 'src'), { recursive: true });
    writeFileSync(join(project, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }');
    const path = join(project, 'src', 'a.ts');
    writeFileSync(path, "const face = '😀'; const count: number = face;\nexport { count };\n");
    const sent = agent.notification('diagnostics_changed', ({ uris }) => uris.includes(`file://${path}`));
    await served.user.command(`edit ${path}`);
    await served.user.lua(
      "local server, root = ... vim.lsp.start({ name = 'tsc', cmd = { server, '--lsp', '--stdio' }, root_dir = root })",
      SERVER,
      project,
    );
    await sent;
    const read = async () => JSON.parse((await agent.call('getDiagnostics', { uri: `file://${path}` }))[0] ?? '');
    await expect.poll(read).toMatchObject([
      {
        uri: `file://${path}`,
        diagnostics: [
          {
            severity: 'Error',
            message: expect.stringContaining("Type 'string' is not assignable to type 'number'"),
            range: { start: { line: 0, character: 25 }, end: { line: 0, character: 30 } },
            code: '2322',
          },
        ],
      },
    ]);
    await expect.poll(async () => (await served.lock()).workspaceFolders).toEqual([served.folder, project]);
  });

  it.each(['the home folder', 'the root of the disk', 'a folder outside'])(
    '%s is not one of the workspace, though it is its root',
    async (where) => {
      served = await Served.start(neovim);
      const outside = temporaryFolder();
      const root = { 'the home folder': served.user.home, 'the root of the disk': '/' }[where] ?? outside;
      writeFileSync(served.path('a.ts'), 'export {};\n');
      await served.user.command(`edit ${served.path('a.ts')}`);
      await startServer(root);
      await served.user.command('split');
      // Sent after the folders, so that they would be there by now.
      await served.user.lua("require('hawser.channel').now('folders')");
      await served.agent();
      expect((await served.lock()).workspaceFolders).toEqual([served.folder]);
      const all = await served.user.lua("return require('hawser.folders').list('all')");
      expect(all).toEqual(where === 'a folder outside' ? [served.folder, outside] : [served.folder]);
    },
  );

  it('its folder is one of the workspace, and of the lock', async () => {
    served = await Served.start(neovim);
    const project = served.path('project');
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, 'tsconfig.json'), '{}');
    writeFileSync(join(project, 'a.ts'), 'export {};\n');
    await served.user.command(`edit ${join(project, 'a.ts')}`);
    await startServer(project);
    // Where no event tells of a server that has started, entering the next window does.
    await served.user.command('split');
    await expect.poll(async () => (await served.lock()).workspaceFolders).toEqual([served.folder, project]);
  });
});
