import type { Server } from '@hawser/mcp';
import { textOnDisk } from '../../../comparable-text.ts';
import { type ChangeRequest, propose, type ToolContext } from '../../adapter-parts/tool-context.ts';
import { json, texts } from '../../adapter-parts/tool-texts.ts';
import { refusalInWords } from '../../outcome-in-words.ts';

const filePath = { type: 'string', description: 'Path of the file' };
const inputSchema = { type: 'object', properties: { file_path: filePath }, required: ['file_path'] };

/** `open_file`, `list_opened_files`, `reformat_file`. */
export function addFiles(server: Server, { editor, reviews }: ToolContext): void {
  server.tool<{ file_path: string }>(
    { name: 'open_file', description: 'Open a file in the editor', inputSchema },
    async ({ file_path }) => {
      const path = await editor.resolve(file_path, { for: 'open' });
      await editor.openFile({ path });
      return texts(`Opened file: ${path}`);
    },
  );
  server.tool(
    {
      name: 'list_opened_files',
      description: 'List the files open in the editor',
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
    },
    async () => {
      const documents = await editor.openDocuments();
      return json({ files: documents.map(({ path }) => path) });
    },
  );
  const { format } = editor;
  if (format === undefined || reviews === undefined) return;
  server.tool<{ file_path: string }>(
    { name: 'reformat_file', description: 'Format a file with the formatter of the editor', inputSchema },
    async ({ file_path }, request) => {
      const path = await editor.resolve(file_path, { for: 'diff' });
      const { isDirty } = await editor.openFile({ path, inBackground: true });
      if (isDirty) throw new Error(`${path} has unsaved text`);
      const newText = await format(path);
      if (newText === (await textOnDisk(path))) return texts(`Reformatted file: ${path}`);
      const place = { oldPath: path, newPath: path, tabName: `Reformat ${path}` };
      const change: ChangeRequest = { ...place, newText, noteDelivery: 'words', writer: () => 'bridge' };
      const outcome = await propose(editor, reviews, change, request);
      return texts(outcome.kind === 'accepted' ? `Reformatted file: ${path}` : refusalInWords(outcome, path));
    },
  );
}
