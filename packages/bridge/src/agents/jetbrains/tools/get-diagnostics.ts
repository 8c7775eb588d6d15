import type { Server } from '@hawser/mcp';
import type { ToolContext } from '../../adapter-parts/tool-context.ts';
import { json } from '../../adapter-parts/tool-texts.ts';
import { wireDiagnostic } from '../wire.ts';

export function addGetDiagnostics(server: Server, { editor }: ToolContext): void {
  const { diagnostics } = editor;
  if (diagnostics === undefined) return;
  server.tool<{ file_path?: string }>(
    {
      name: 'get_diagnostics',
      description: 'Get the errors and warnings the editor knows of, in one file or in all',
      inputSchema: { type: 'object', properties: { file_path: { type: 'string', description: 'Path of one file' } } },
      annotations: { readOnlyHint: true },
    },
    async ({ file_path }) => {
      const found = await diagnostics(file_path);
      return json({
        diagnostics: found.flatMap((file) => file.diagnostics.map((each) => wireDiagnostic(file.path, each))),
      });
    },
  );
}
