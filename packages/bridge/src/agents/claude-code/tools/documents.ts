import { basename } from 'node:path';
import type { Server } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import { json } from '../../adapter-parts/tool-texts.ts';
import type { ClaudeToolContext } from '../tool-context.ts';
import { fileUrl } from '../wire.ts';

const filePath = { type: 'string', description: 'Path of the document' };
const inputSchema = { type: 'object', properties: { filePath }, required: ['filePath'] };

export function addDocuments(server: Server, { editor }: ClaudeToolContext): void {
  const nothing = { type: 'object', properties: {} };
  const annotations = { readOnlyHint: true };
  const documentAt = async (path: string) => (await editor.openDocuments()).find((document) => document.path === path);

  server.tool(
    { name: 'getOpenEditors', description: 'Get the documents open in the editor', inputSchema: nothing, annotations },
    async () => {
      const documents = await editor.openDocuments();
      const tabs = documents.map(({ path, isActive, isDirty, isUntitled, languageId, lineCount }) => ({
        uri: fileUrl(path),
        isActive,
        label: basename(path),
        languageId,
        isDirty,
        isUntitled,
        fileName: path,
        lineCount,
      }));
      return json({ tabs });
    },
  );
  server.tool(
    { name: 'getWorkspaceFolders', description: 'Get the folders of the workspace', inputSchema: nothing, annotations },
    () => {
      const paths = editor.folders;
      const folders = paths.map((path) => ({ name: basename(path), uri: fileUrl(path), path }));
      return json({ success: true, folders, rootPath: paths[0] ?? null });
    },
  );
  server.tool<{ filePath: string }>(
    {
      name: 'checkDocumentDirty',
      description: 'Check whether a document has unsaved changes',
      inputSchema,
      annotations,
    },
    async (args) => {
      const path = await editor.resolve(args.filePath, { for: 'read' });
      const document = await documentAt(path);
      if (document === undefined) return json({ success: false, message: `Document not open: ${path}` });
      const { isDirty, isUntitled } = document;
      return json({ success: true, filePath: path, isDirty, isUntitled });
    },
  );
  const { save } = editor;
  if (save === undefined) return;
  server.tool<{ filePath: string }>(
    { name: 'saveDocument', description: 'Save a document with unsaved changes', inputSchema },
    async (args) => {
      const path = await editor.resolve(args.filePath, { for: 'read' });
      if ((await documentAt(path)) === undefined)
        return json({ success: false, message: `Document not open: ${path}` });
      try {
        await save.call(editor, path);
      } catch (error) {
        const message = messageOf(error);
        return json({ success: false, filePath: path, saved: false, message });
      }
      return json({ success: true, filePath: path, saved: true, message: 'Document saved successfully' });
    },
  );
}
