import type { Server } from '@hawser/mcp';
import type { SharedEditor } from '../../../access/shared-editor.ts';
import type { Accepted, Outcome } from '../../../review/proposal.ts';
import { propose, type ToolContext } from '../../tool-context.ts';
import { json } from '../../tool-texts.ts';
import { writeAccepted } from '../../write-accepted.ts';

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
      return json({ success: true, ...(await verdict(outcome, newText, editor)), tab_name: tabName });
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
 * The agent writes its own text when it reads SAVED; it can't take another. So if the user has changed the text, the
 * editor writes it, and the agent reads REJECTED. It ignores an answer whose message is not a text.
 */
async function verdict(outcome: Outcome, newText: string, editor: SharedEditor) {
  if (outcome.kind === 'accepted') {
    if (outcome.text === newText) return { result: 'SAVED', trigger: 'accepted_via_button', message: 'Accepted' };
    return { result: 'REJECTED', trigger: 'accepted_with_changes', message: await writtenByEditor(outcome, editor) };
  }
  const [trigger, message] =
    outcome.kind === 'rejected'
      ? ['rejected_via_button', 'The user rejected the change']
      : ['closed_via_tool', `The change was withdrawn: ${outcome.reason}`];
  return { result: 'REJECTED', trigger, message };
}

async function writtenByEditor(outcome: Accepted, editor: SharedEditor): Promise<string> {
  const { path } = outcome.proposal;
  const start = 'The user accepted a part of the change, or a changed version';
  try {
    await writeAccepted(outcome, editor);
    return `${start}, and the editor has written it. Read ${path} again before you change it`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${start}, which could not be written: ${reason}`;
  }
}
