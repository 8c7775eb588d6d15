import { delimiter } from 'node:path';
import { nodeFolder, npmPrograms } from '../../../../testing/language-programs.ts';
import { describeLanguageFeatures } from '../../../language-features.contract.ts';
import { workspaceEditor } from '../workspace-editor.ts';

// The compiler that this repository is built with has a language server.
const searchPath = [npmPrograms, nodeFolder].join(delimiter);

describeLanguageFeatures('the workspace editor with tsc', async (folder) => {
  const editor = workspaceEditor({ folders: [folder], languageServers: { find: 'path', searchPath } });
  await editor.languagePrograms?.();
  return { editor, dispose: () => editor.close() };
});
