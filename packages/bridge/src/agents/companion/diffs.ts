import type { Server, ServerSession } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { Log } from '../../log.ts';
import type { Outcome } from '../../review/proposal.ts';
import { proposalName, startProposal, type ToolContext } from '../adapter-parts/tool-context.ts';
import { json } from '../adapter-parts/tool-texts.ts';
import { diffAccepted, diffRejected } from './notifications.ts';

export interface CompanionToolContext extends ToolContext {
  /** The adapter's name. */
  readonly agent: string;
  readonly log: Log;
  /**
   * How the agent takes a proposal that the bridge refuses. `silent`: it can't take an error, so it gets no outcome, and
   * the user decides in its terminal.
   */
  readonly refusals: 'errors' | 'silent';
}

const filePath = { type: 'string', description: 'Path of the file' };
const NOTHING = { content: [] };

/** `openDiff` is answered at once; a notification tells what the user decided. `closeDiff` withdraws the proposal. */
export function addDiffs(server: Server, context: CompanionToolContext): void {
  const { editor, reviews, agent, log, refusals } = context;
  if (reviews === undefined) return;
  const failed = (path: string, error: unknown) => {
    const message = messageOf(error);
    log.info('proposal without an outcome', { agent, path, message });
  };
  server.tool<{ filePath: string; newContent: string }>(
    {
      name: 'openDiff',
      description: 'Show a proposed change of a file; a notification tells whether the user accepts or rejects it',
      inputSchema: {
        type: 'object',
        properties: { filePath, newContent: { type: 'string', description: 'All of its new contents' } },
        required: ['filePath', 'newContent'],
      },
    },
    async ({ filePath: path, newContent }, { session }) => {
      // The agent takes an empty text for none and would write the whole proposal.
      const writer = (text: string) => (text === '' && newContent !== '' ? 'bridge' : 'agent');
      const place = { oldPath: path, newPath: path, tabName: undefined };
      const change = { ...place, newText: newContent, noteDelivery: 'none', writer } as const;
      // It outlives this request, and ends with the session.
      const { signal } = new AbortController();
      const { accepted, outcome } = startProposal(editor, reviews, change, { session, signal });
      outcome.then((ended) => sendOutcome(ended, session, path)).catch((error: unknown) => failed(path, error));
      try {
        await accepted;
      } catch (error) {
        if (refusals === 'errors') throw error;
      }
      return NOTHING;
    },
  );
  server.tool<{ filePath: string; suppressNotification?: boolean }>(
    {
      name: 'closeDiff',
      description: 'Withdraw a proposed change and get the contents that it had at the end',
      inputSchema: {
        type: 'object',
        properties: {
          filePath,
          suppressNotification: { type: 'boolean', description: 'Send no notification', default: false },
        },
        required: ['filePath'],
      },
    },
    ({ filePath: path, suppressNotification = false }, { session }) => {
      const name = proposalName(editor, { newPath: path, tabName: undefined });
      const proposal = reviews.find(session, name);
      const wasOpen = reviews.withdraw(session, name, 'the agent closed it');
      if (wasOpen && !suppressNotification) session.notify(diffRejected, { filePath: path });
      // Merged with what changed in the file meanwhile. Agents take any other text for an edit of the user.
      return json({ content: proposal?.base === 'merged' ? proposal.newText : null });
    },
  );
}

/**
 * A withdrawn proposal needs none: its agent closed or replaced it, or has gone. The agent knows it by the path as it
 * wrote that. What the bridge has written the agent must not write, so it is rejected for it.
 */
function sendOutcome(outcome: Outcome, session: ServerSession, filePath: string): void {
  if (outcome.kind === 'withdrawn') return;
  const isAgents = outcome.kind === 'accepted' && outcome.written === undefined;
  if (isAgents) session.notify(diffAccepted, { filePath, content: outcome.text });
  else session.notify(diffRejected, { filePath });
}
