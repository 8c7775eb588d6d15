import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { RequestContext } from '@hawser/mcp';
import type { Access } from '../access/access.ts';
import { readOldText } from '../access/old-text.ts';
import type { DiffDecision, Editor } from '../editor.ts';
import type { ProposalOutcome, Proposals } from '../proposals.ts';

/** What the tools of every door work with. */
export interface ToolContext {
  readonly editor: Editor;
  readonly access: Access;
  readonly proposals: Proposals;
}

export interface Change {
  readonly oldPath: string;
  readonly newPath: string;
  readonly newText: string;
  /** What the agent calls the view; the path without it. */
  readonly tabName: string | undefined;
}

/**
 * Shows a change an agent wants to make, for as long as its request and its connection live. It is open from this call
 * on, while its file is still being read: what the agent says next may be that it closes it.
 */
export function propose(tools: ToolContext, change: Change, request: RequestContext): Promise<ProposalOutcome> {
  const { session, signal } = request;
  const tabName = change.tabName ?? resolve(tools.access.folders[0] ?? '', change.newPath);
  const from = session.clientInfo?.name ?? 'an agent';
  return tools.proposals.open({ client: session, tabName, request: signal, proposal: change }, (_, shown) =>
    show(tools, change, from, shown.signal),
  );
}

async function show(
  { editor, access }: ToolContext,
  { oldPath, newPath, newText, tabName }: Change,
  from: string,
  signal: AbortSignal,
): Promise<DiffDecision> {
  const path = await access.resolve(newPath, { for: 'diff' });
  const oldText = await readOldText(await access.resolve(oldPath, { for: 'diff' }), newText);
  signal.throwIfAborted();
  if (editor.showDiff === undefined) throw new Error(`${editor.name} cannot show changes`);
  return editor.showDiff({ id: randomUUID(), path, title: tabName ?? path, oldText, newText, from }, { signal });
}
