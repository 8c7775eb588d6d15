import type { Server } from '@hawser/mcp';
import { texts } from '../../tool-texts.ts';
import type { ClaudeToolContext } from '../tool-context.ts';

/** Both are about the diffs of the client that calls, and nobody else's. */
export function addTabs(server: Server, { proposals, promptTaken }: ClaudeToolContext): void {
  server.tool<{ tab_name: string }>(
    {
      name: 'close_tab',
      description: 'Close a diff view by its name',
      inputSchema: {
        type: 'object',
        properties: { tab_name: { type: 'string', description: 'Name of the view' } },
        required: ['tab_name'],
      },
    },
    ({ tab_name }, { session }) => {
      // It comes twice for each diff, and after the answer too.
      proposals.close(session, tab_name);
      return texts('TAB_CLOSED');
    },
  );
  server.tool(
    { name: 'closeAllDiffTabs', description: 'Close all diff views', inputSchema: { type: 'object', properties: {} } },
    (_args, { session }) => {
      const closed = proposals.closeAll(session);
      promptTaken(session);
      return texts(`CLOSED_${closed}_DIFF_TABS`);
    },
  );
}
