import type { Server } from '@hawser/mcp';
import type { Selection } from '../../../editor.ts';
import { json } from '../../tool-texts.ts';
import type { ClaudeToolContext } from '../tool-context.ts';
import { wireSelection } from '../wire.ts';

export function addSelections(server: Server, { editor, access, selections }: ClaudeToolContext): void {
  const inputSchema = { type: 'object', properties: {} };
  const annotations = { readOnlyHint: true };
  const show = (selection: Selection | undefined, message: string) => {
    const isHidden = selection !== undefined && (access.paused || access.isDenied(selection.path));
    if (selection === undefined || isHidden) return json({ success: false, message });
    return json({ success: true, ...wireSelection(selection) });
  };
  server.tool(
    {
      name: 'getCurrentSelection',
      description: 'Get the text selected in the active editor',
      inputSchema,
      annotations,
    },
    async () => show(await editor.selection(), 'No active editor found'),
  );
  server.tool(
    {
      name: 'getLatestSelection',
      description: 'Get the most recent text selection, even if it is no longer selected',
      inputSchema,
      annotations,
    },
    () => show(selections.latest, 'No selection available'),
  );
}
