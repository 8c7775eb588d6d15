import type { Server } from '@hawser/mcp';
import type { Outcome } from '../../../review/proposal.ts';
import { propose, type ToolContext } from '../../adapter-parts/tool-context.ts';
import { json } from '../../adapter-parts/tool-texts.ts';
import { acceptanceInWords, refusalInWords } from '../../outcome-in-words.ts';

interface Arguments {
  readonly original_file_path: string;
  readonly new_file_contents: string;
  readonly tab_name: string;
}

const tabName = { type: 'string', description: 'Name of the view' };

/** `open_diff`, which waits for the user, and `close_diff`. */
export function addDiffs(server: Server, { editor, reviews }: ToolContext): void {
  if (reviews === undefined) return;
  server.tool<Arguments>(
    {
      name: 'open_diff',
      description: 'Show a proposed change of a file and wait until the user accepts or rejects it',
      inputSchema: {
        type: 'object',
        properties: {
          original_file_path: { type: 'string', description: 'Path of the file' },
          new_file_contents: { type: 'string', description: 'All of its new contents' },
          tab_name: tabName,
        },
        required: ['original_file_path', 'new_file_contents', 'tab_name'],
      },
    },
    async ({ original_file_path: path, new_file_contents: newText, tab_name: tabName }, request) => {
      // The agent can't take another text than its own, so the bridge writes that. Its model reads no message.
      const writer = (text: string) => (text === newText ? 'agent' : 'bridge');
      const change = { oldPath: path, newPath: path, newText, tabName, noteDelivery: 'none', writer } as const;
      const outcome = await propose(editor, reviews, change, request);
      return json({ success: true, ...verdict(outcome, path), tab_name: tabName });
    },
  );
  server.tool<{ tab_name: string }>(
    {
      name: 'close_diff',
      description: 'Close a diff view by its name',
      inputSchema: { type: 'object', properties: { tab_name: tabName }, required: ['tab_name'] },
    },
    ({ tab_name }, { session }) => {
      const wasOpen = reviews.withdraw(session, tab_name, 'the agent closed it');
      const message = wasOpen ? `Closed: ${tab_name}` : `Not open: ${tab_name}`;
      return json({ success: true, already_closed: !wasOpen, tab_name, message });
    },
  );
}

/**
 * The agent writes its own text when it reads SAVED. If the bridge has written another, it reads REJECTED. It ignores an
 * answer whose message is not a text.
 */
function verdict(outcome: Outcome, path: string) {
  if (outcome.kind !== 'accepted') {
    const trigger = outcome.kind === 'withdrawn' ? 'closed_via_tool' : 'rejected_via_button';
    return { result: 'REJECTED', trigger, message: refusalInWords(outcome, path) };
  }
  if (outcome.written === undefined) return { result: 'SAVED', trigger: 'accepted_via_button', message: 'Accepted' };
  const message = `${acceptanceInWords(outcome)}\nIt is written. Read ${path} again before you change it`;
  return { result: 'REJECTED', trigger: 'accepted_with_changes', message };
}
