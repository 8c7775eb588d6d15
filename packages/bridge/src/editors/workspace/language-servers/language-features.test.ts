import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { repository } from '../../../../testing/neovim/neovims.ts';
import { describeLanguageFeatures } from '../../../language-features.contract.ts';
import { workspaceEditor } from '../workspace-editor.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

// The compiler that this repository is built with has a language server.
const searchPath = [join(repository, 'node_modules', '.bin'), dirname(process.execPath)].join(':');

describeLanguageFeatures('the workspace editor with tsc', async (folder) => {
  const editor = workspaceEditor({ folders: [folder], languageServers: { find: 'path', searchPath } });
  await editor.languagePrograms?.();
  return { editor, dispose: () => editor.close() };
});
