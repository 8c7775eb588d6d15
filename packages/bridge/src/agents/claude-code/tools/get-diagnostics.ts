import type { Server } from '@hawser/mcp';
import { json } from '../../adapter-parts/tool-texts.ts';
import type { ClaudeToolContext } from '../tool-context.ts';
import { fileUrl, wireDiagnostic } from '../wire.ts';

export function addGetDiagnostics(server: Server, { editor }: ClaudeToolContext): void {
  const { diagnostics } = editor;
  if (diagnostics === undefined) return;
  server.tool<{ uri?: string }>(
    {
      name: 'getDiagnostics',
      description: 'Get the problems the editor knows of, in one file or in all',
      inputSchema: {
        type: 'object',
        properties: { uri: { type: 'string', description: 'File URL of one file; all files without it' } },
      },
      annotations: { readOnlyHint: true },
    },
    async ({ uri }) => {
      const found = await diagnostics(uri);
      if (uri !== undefined) {
        // In the caller's own words: it ignores an answer under another URL.
        return json([{ uri, diagnostics: found.flatMap((file) => file.diagnostics.map(wireDiagnostic)) }]);
      }
      return json(
        found.map((file) => ({ uri: fileUrl(file.path), diagnostics: file.diagnostics.map(wireDiagnostic) })),
      );
    },
  );
}
