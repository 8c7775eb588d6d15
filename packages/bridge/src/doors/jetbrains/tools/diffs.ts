import type { Server } from '@hawser/mcp';
import { texts } from '../../../tool-texts.ts';
import { propose, type Workbench } from '../../../workbench.ts';

interface Arguments {
  readonly old_file_path: string;
  readonly new_file_contents: string;
  readonly tab_name?: string;
}

/** `openDiff` and `close_tab`. */
export function addDiffs(server: Server, workbench: Workbench): void {
  server.tool<{ tab_name: string }>(
    {
      name: 'close_tab',
      description: 'Close a diff view by its name',
      inputSchema: { type: 'object', properties: { tab_name: { type: 'string' } }, required: ['tab_name'] },
    },
    ({ tab_name }, { session }) => {
      workbench.proposals.close(session, tab_name);
      return texts('TAB_CLOSED');
    },
  );
  if (workbench.editor.showDiff === undefined) return;
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
      const decision = await propose(workbench, { oldPath: path, newPath: path, newText, tabName }, context);
      return decision.kind === 'accepted' ? texts('FILE_SAVED', decision.text) : texts('DIFF_REJECTED');
    },
  );
}
