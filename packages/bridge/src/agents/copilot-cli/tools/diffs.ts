import type { Server } from '@hawser/mcp';
import type { Outcome } from '../../../review/proposal.ts';
import { propose, type ToolContext } from '../../tool-context.ts';
import { json } from '../../tool-texts.ts';

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
      const outcome = await propose(editor, reviews, { oldPath: path, newPath: path, newText, tabName }, request);
      return json({ success: true, ...verdict(outcome, newText), tab_name: tabName });
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
 * The agent writes its own text when it reads SAVED; it can't take another. So an acceptance of anything else than the
 * whole proposal has to be REJECTED, or the agent would write what the user took out. It ignores an answer whose message
 * is not a text.
 */
function verdict(outcome: Outcome, newText: string) {
  if (outcome.kind === 'accepted' && outcome.text === newText) {
    return { result: 'SAVED', trigger: 'accepted_via_button', message: 'The user accepted the change' };
  }
  const rejected = (trigger: string, message: string) => ({ result: 'REJECTED', trigger, message });
  if (outcome.kind === 'accepted') {
    const message =
      'The user accepted the change in part or edited it. Copilot CLI can only write all of its own text, so nothing was written. Propose the change again in smaller steps.';
    return rejected('accepted_with_changes', message);
  }
  if (outcome.kind === 'rejected') return rejected('rejected_via_button', 'The user rejected the change');
  return rejected('closed_via_tool', `The change was withdrawn: ${outcome.reason}`);
}
