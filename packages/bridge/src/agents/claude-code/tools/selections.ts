import type { Server } from '@hawser/mcp';
import type { SharedSelection } from '../../../access/shared-editor.ts';
import { json } from '../../adapter-parts/tool-texts.ts';
import type { ClaudeToolContext } from '../tool-context.ts';
import { wireSelection } from '../wire.ts';

export function addSelections(server: Server, { editor }: ClaudeToolContext): void {
  const inputSchema = { type: 'object', properties: {} };
  const annotations = { readOnlyHint: true };
  const answer = (shared: SharedSelection, message: string) =>
    shared.kind === 'selection'
      ? json({ success: true, ...wireSelection(shared.selection) })
      : json({ success: false, message });
  server.tool(
    {
      name: 'getCurrentSelection',
      description: 'Get the text selected in the active editor',
      inputSchema,
      annotations,
    },
    async () => answer(await editor.selection(), 'No active editor found'),
  );
  server.tool(
    {
      name: 'getLatestSelection',
      description: 'Get the most recent text selection, even if it is no longer selected',
      inputSchema,
      annotations,
    },
    async () => answer(await editor.latestSelection(), 'No selection available'),
  );
}
