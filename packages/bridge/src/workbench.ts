import { randomUUID } from 'node:crypto';
import type { RequestContext } from '@hawser/mcp';
import type { Editor } from './editor.ts';
import type { Guard } from './guard.ts';
import { readOldText } from './old-text.ts';
import type { ProposalOutcome, Proposals } from './proposals.ts';

/** What the tools of every door work with. */
export interface Workbench {
  readonly editor: Editor;
  readonly guard: Guard;
  readonly proposals: Proposals;
}

export interface Change {
  readonly oldPath: string;
  readonly newPath: string;
  readonly newText: string;
  /** What the agent calls the view; the path without it. */
  readonly tabName: string | undefined;
}

/** Shows a change an agent wants to make, for as long as its request and its connection live. */
export async function propose(
  { editor, guard, proposals }: Workbench,
  { oldPath, newPath, newText, tabName }: Change,
  { session, signal }: RequestContext,
): Promise<ProposalOutcome> {
  if (editor.showDiff === undefined) throw new Error(`${editor.name} cannot show changes`);
  const path = await guard.resolve(newPath, { for: 'diff' });
  const oldText = await readOldText(await guard.resolve(oldPath, { for: 'diff' }), newText);
  const title = tabName ?? path;
  const proposal = { id: randomUUID(), path, title, oldText, newText, from: session.clientInfo?.name ?? 'an agent' };
  return proposals.open({ client: session, tabName: title, request: signal, proposal }, (shown, options) => {
    if (editor.showDiff === undefined) throw new Error(`${editor.name} cannot show changes any more`);
    return editor.showDiff(shown, options);
  });
}
