import { basename } from 'node:path';
import type { Server } from '@hawser/mcp';
import { propose, type ToolContext } from '../../tool-context.ts';
import { texts } from '../../tool-texts.ts';

interface Arguments {
  readonly old_file_path: string;
  readonly new_file_contents: string;
  readonly tab_name?: string;
}

/** `openDiff` and `close_tab`. */
export function addDiffs(server: Server, tools: ToolContext): void {
  const { proposals } = tools;
  server.tool<{ tab_name: string }>(
    {
      name: 'close_tab',
      description: 'Close a diff view by its name, or an open file by its path or name',
      inputSchema: { type: 'object', properties: { tab_name: { type: 'string' } }, required: ['tab_name'] },
    },
    async ({ tab_name }, { session }) => {
      if (!proposals.close(session, tab_name)) await closeFile(tools, tab_name);
      return texts('TAB_CLOSED');
    },
  );
  if (tools.editor.showDiff === undefined) return;
  server.tool<Arguments>(
    {
      name: 'openDiff',
      description: 'Opens a diff viewer in the IDE',
      inputSchema: {
        type: 'object',
        properties: {
          old_file_path: { type: 'string' },
          new_file_contents: { type: 'string' },
          tab_name: { type: 'string' },
        },
        required: ['old_file_path', 'new_file_contents'],
      },
    },
    async ({ old_file_path: path, new_file_contents: newText, tab_name: tabName }, context) => {
      const decision = await propose(tools, { oldPath: path, newPath: path, newText, tabName }, context);
      return decision.kind === 'accepted' ? texts('FILE_SAVED', decision.text) : texts('DIFF_REJECTED');
    },
  );
}

/** A file that is not open is closed already. A name that several have means none of them. */
async function closeFile({ editor, access }: ToolContext, tabName: string): Promise<void> {
  const documents = await editor.openDocuments();
  const named = documents.filter(({ path }) => basename(path) === tabName);
  const found = documents.find(({ path }) => path === tabName) ?? (named.length === 1 ? named[0] : undefined);
  if (found === undefined) return;
  await access.resolve(found.path, { for: 'open' });
  await editor.closeFile?.(found.path);
}
