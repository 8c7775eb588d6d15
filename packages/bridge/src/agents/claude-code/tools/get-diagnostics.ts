import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Server } from '@hawser/mcp';
import { json } from '../../tool-texts.ts';
import type { ClaudeToolContext } from '../tool-context.ts';
import { fileUrl, wireDiagnostic } from '../wire.ts';

export function addGetDiagnostics(server: Server, { editor, access }: ClaudeToolContext): void {
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
      const path = uri === undefined ? undefined : await access.resolve(pathOf(uri), { for: 'read' });
      const found = await diagnostics.call(editor, path);
      access.admit();
      const shown = found.filter((file) => !access.isDenied(file.path));
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

/** The path stands in the URL as it is; other clients encode it. */
function pathOf(uri: string): string {
  if (!uri.startsWith('file://')) return uri;
  const raw = uri.slice('file://'.length);
  if (!raw.includes('%') || existsSync(raw)) return raw;
  try {
    return fileURLToPath(uri);
  } catch {
    return raw;
  }
}
