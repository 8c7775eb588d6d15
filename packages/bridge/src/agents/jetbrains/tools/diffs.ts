import { basename } from 'node:path';
import type { Server } from '@hawser/mcp';
import type { SharedEditor } from '../../../access/shared-editor.ts';
import { propose, type ToolContext } from '../../adapter-parts/tool-context.ts';
import { texts } from '../../adapter-parts/tool-texts.ts';

interface Arguments {
  readonly old_file_path: string;
  readonly new_file_contents: string;
  readonly tab_name?: string;
}

/** `openDiff` and `close_tab`. */
export function addDiffs(server: Server, { editor, reviews }: ToolContext): void {
  server.tool<{ tab_name: string }>(
    {
      name: 'close_tab',
      description: 'Close a diff view by its name, or an open file by its path or name',
      inputSchema: { type: 'object', properties: { tab_name: { type: 'string' } }, required: ['tab_name'] },
    },
    async ({ tab_name }, { session }) => {
      const isProposal = reviews?.withdraw(session, tab_name, 'the agent closed it') === true;
      if (!isProposal) await closeFile(editor, tab_name);
      return texts('TAB_CLOSED');
    },
  );
  if (reviews === undefined) return;
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
    async ({ old_file_path: path, new_file_contents: newText, tab_name: tabName }, request) => {
      const change = { oldPath: path, newPath: path, newText, tabName, noteDelivery: 'none' } as const;
      const outcome = await propose(editor, reviews, change, request);
      return outcome.kind === 'accepted' ? texts('FILE_SAVED', outcome.text) : texts('DIFF_REJECTED');
    },
  );
}

/** A file that is not open counts as closed. A name that several files have means none of them. */
async function closeFile(editor: SharedEditor, tabName: string): Promise<void> {
  const documents = await editor.openDocuments();
  const named = documents.filter(({ path }) => basename(path) === tabName);
  const found = documents.find(({ path }) => path === tabName) ?? (named.length === 1 ? named[0] : undefined);
  if (found === undefined) return;
  await editor.closeFile?.(found.path);
}
