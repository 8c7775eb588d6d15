import type { Server } from '@hawser/mcp';
import type { ToolContext } from '../../adapter-parts/tool-context.ts';
import { json } from '../../adapter-parts/tool-texts.ts';
import { fileUrl, wireDiagnostic, wireSelection } from '../wire.ts';

/** `get_selection` and `get_diagnostics`, which the agent shows to its model, and `update_session_name`. */
export function addContext(server: Server, { editor }: ToolContext): void {
  const annotations = { readOnlyHint: true };
  server.tool(
    {
      name: 'get_selection',
      description:
        'Get the text selected in the active editor, its file and its range; lines and characters count from 0',
      inputSchema: { type: 'object', properties: {} },
      annotations,
    },
    async () => {
      const shared = await editor.selection();
      if (shared.kind === 'selection') return json({ ...wireSelection(shared.selection), current: true });
      return json({ message: shared.kind === 'none' ? 'No file is active' : 'The active file is not shared' });
    },
  );
  server.tool<{ name: string }>(
    {
      name: 'update_session_name',
      description: 'Tell the editor what the session is called',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
    () => json({ success: true }),
  );
  const { diagnostics } = editor;
  if (diagnostics === undefined) return;
  server.tool<{ uri?: string }>(
    {
      name: 'get_diagnostics',
      description: 'Get the errors and warnings the editor knows of, in one file or in all',
      inputSchema: {
        type: 'object',
        properties: { uri: { type: 'string', description: 'File URL or path of one file; all files without it' } },
      },
      annotations,
    },
    async ({ uri }) => {
      const found = await diagnostics(uri === '' ? undefined : uri);
      return json(
        found.map((file) => ({
          uri: fileUrl(file.path),
          filePath: file.path,
          diagnostics: file.diagnostics.map(wireDiagnostic),
        })),
      );
    },
  );
}
