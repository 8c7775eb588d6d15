import { join } from 'node:path';
import { vi } from 'vitest';
import { neovims, repository } from '../../testing/neovim/neovims.ts';
import { describePlugin } from './plugin.contract.ts';

vi.setConfig({ testTimeout: 60_000 });

for (const { program, version } of neovims) {
  describePlugin(
    `Neovim ${version}`,
    { command: [program, '--headless', '-u', join(repository, 'test', 'nvim', 'hands.lua')], variables: process.env },
    {
      showDocument: true,
      documents: true,
      save: true,
      close: true,
      diagnostics: true,
      writeText: true,
      format: true,
      proposals: { rounds: true },
      language: ['textDocument/definition'],
    },
  );
}
