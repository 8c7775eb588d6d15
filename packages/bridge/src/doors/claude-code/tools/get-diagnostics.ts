import type { Server } from '@hawser/mcp';
import { json } from '../../../tool-texts.ts';
import { fileUrl, wireDiagnostic } from '../wire.ts';
import type { ClaudeWorkbench } from '../workbench.ts';

export function addGetDiagnostics(server: Server, { editor, guard }: ClaudeWorkbench): void {
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
      const path = uri === undefined ? undefined : await guard.resolve(uri, { for: 'read' });
      const found = await diagnostics.call(editor, path);
      guard.admit();
      const shown = found.filter((file) => !guard.isDenied(file.path));
      if (uri !== undefined) {
        // In the caller's own words: it ignores an answer under another URL.
        return json([{ uri, diagnostics: shown.flatMap((file) => file.diagnostics.map(wireDiagnostic)) }]);
      }
      return json(
        shown.map((file) => ({ uri: fileUrl(file.path), diagnostics: file.diagnostics.map(wireDiagnostic) })),
      );
    },
  );
}
