import type { Server } from '@hawser/mcp';
import type { Accepted, Rejected } from '../../../review/proposal.ts';
import { propose, type ToolContext } from '../../adapter-parts/tool-context.ts';
import { texts } from '../../adapter-parts/tool-texts.ts';
import { atMentioned, decisionEvent, logEvent } from '../notifications.ts';

interface Arguments {
  readonly old_file_path: string;
  readonly new_file_path: string;
  readonly new_file_contents: string;
  readonly tab_name?: string;
}

export function addOpenDiff(server: Server, { editor, reviews }: ToolContext): void {
  if (reviews === undefined) return;
  server.tool<Arguments>(
    {
      name: 'openDiff',
      description: 'Show a proposed change of a file and wait until the user accepts or rejects it',
      inputSchema: {
        type: 'object',
        properties: {
          old_file_path: { type: 'string', description: 'Path of the file as it is' },
          new_file_path: { type: 'string', description: 'Path of the file as it will be' },
          new_file_contents: { type: 'string', description: 'All of its new contents' },
          tab_name: { type: 'string', description: 'What to call the view' },
        },
        required: ['old_file_path', 'new_file_path', 'new_file_contents'],
      },
    },
    async (
      { old_file_path: oldPath, new_file_path: newPath, new_file_contents: newText, tab_name: tabName },
      request,
    ) => {
      const change = { oldPath, newPath, newText, tabName, noteDelivery: 'mention' } as const;
      const outcome = await propose(editor, reviews, change, request);
      if (outcome.kind !== 'withdrawn') request.session.notify(logEvent, decisionEvent(outcome, newPath));
      // Two blocks, or the agent fails; it writes the file itself.
      if (outcome.kind === 'accepted') return texts('FILE_SAVED', forAgent(outcome));
      if (outcome.kind !== 'withdrawn')
        for (const mention of mentionsOf(outcome)) request.session.notify(atMentioned, mention);
      // Never TAB_CLOSED: the agent takes that for an acceptance.
      return texts('DIFF_REJECTED', tabName ?? newPath);
    },
  );
}

/** The agent takes one newline off the end of a new file, whatever tool its model used. Of other files only sometimes. */
function forAgent({ text, proposal }: Accepted): string {
  return proposal.oldText === undefined && text.endsWith('\n') ? `${text}\n` : text;
}

/** Its answer has no room for words, so the lines that the user wrote about are put into its prompt. */
function mentionsOf({ notes, proposal }: Rejected) {
  return notes.flatMap(({ lines }) =>
    lines?.side === 'old'
      ? [{ filePath: proposal.path, lineStart: lines.first, lineEnd: lines.first + lines.count - 1 }]
      : [],
  );
}
