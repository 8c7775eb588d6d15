import { resolve } from 'node:path';
import type { RequestContext } from '@hawser/mcp';
import type { SharedEditor } from '../../access/shared-editor.ts';
import { readOldText } from '../../comparable-text.ts';
import type { NoteDelivery, Outcome, ProposedChange, Writer } from '../../review/proposal.ts';
import type { ReviewQueue } from '../../review/queue.ts';
import { clientName } from './agent-client.ts';

/** What the tools of every adapter work with. */
export interface ToolContext {
  readonly editor: SharedEditor;
  /** Undefined if agents can't propose changes. */
  readonly reviews: ReviewQueue | undefined;
}

export interface ChangeRequest {
  /** Paths as the agent wrote them. */
  readonly oldPath: string;
  readonly newPath: string;
  readonly newText: string;
  /** What the agent calls the proposal; the path without it. */
  readonly tabName: string | undefined;
  readonly noteDelivery: NoteDelivery;
  /** Who writes an accepted text. Default: the agent. */
  readonly writer?: (text: string) => Writer;
}

/** The session that owns a proposal, and how long it lives at most. */
export type Proposer = Pick<RequestContext, 'session' | 'signal'>;

/**
 * Proposes a change for as long as its request and its connection live. The proposal can be withdrawn from this call on,
 * while its file is still being read.
 */
export async function propose(
  editor: SharedEditor,
  reviews: ReviewQueue,
  change: ChangeRequest,
  proposer: Proposer,
): Promise<Outcome> {
  return await startProposal(editor, reviews, change, proposer).outcome;
}

export interface StartedProposal {
  /** Rejects if the agent may not propose this change. */
  readonly accepted: Promise<unknown>;
  readonly outcome: Promise<Outcome>;
}

/** The same, for agents that are answered before the user decides. */
export function startProposal(
  editor: SharedEditor,
  reviews: ReviewQueue,
  change: ChangeRequest,
  { session, signal }: Proposer,
): StartedProposal {
  const accepted = read(editor, change, clientName(session) ?? 'an agent');
  const { writer } = change;
  const outcome = reviews.propose(accepted, { owner: session, signal, name: proposalName(editor, change), writer });
  return { accepted, outcome };
}

/** What an agent has to say to withdraw a proposal that it gave no name: its path, absolute. */
export function proposalName(
  editor: SharedEditor,
  { tabName, newPath }: Pick<ChangeRequest, 'tabName' | 'newPath'>,
): string {
  return tabName ?? resolve(editor.folders[0] ?? '', newPath);
}

async function read(editor: SharedEditor, change: ChangeRequest, agent: string): Promise<ProposedChange> {
  const { oldPath, newPath, newText, tabName, noteDelivery } = change;
  const path = await editor.resolve(newPath, { for: 'diff' });
  const readFrom = await editor.resolve(oldPath, { for: 'diff' });
  const oldText = await readOldText(readFrom, newText);
  const source = readFrom === path ? {} : { oldPath: readFrom };
  return { path, ...source, oldText, newText, agent, title: tabName ?? path, noteDelivery };
}
