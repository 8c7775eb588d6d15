import type { Server } from '@hawser/mcp';
import { texts } from '../../adapter-parts/tool-texts.ts';
import type { ClaudeToolContext } from '../tool-context.ts';

/** Both are about the proposals of the client that calls. */
export function addTabs(server: Server, { reviews, promptTaken }: ClaudeToolContext): void {
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
      // Claude Code calls it twice for each diff, and after the answer too.
      reviews?.withdraw(session, tab_name, 'the agent closed it');
      return texts('TAB_CLOSED');
    },
  );
  server.tool(
    { name: 'closeAllDiffTabs', description: 'Close all diff views', inputSchema: { type: 'object', properties: {} } },
    (_args, { session }) => {
      const closed = reviews?.withdrawAll(session, 'the agent closed all of its diffs') ?? 0;
      promptTaken(session);
      return texts(`CLOSED_${closed}_DIFF_TABS`);
    },
  );
}
