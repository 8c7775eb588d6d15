import { setImmediate as nextTurn } from 'node:timers/promises';
import { contains } from '../../access/paths.ts';
import type { ProposedChange } from '../proposal.ts';
import type { ReviewQueue } from '../queue.ts';
import type { RememberedDecision } from './decision.ts';
import type { History } from './history.ts';
import { NothingToUndo, UNDO, undoOf } from './undo.ts';

/** A change that takes a decision back, which waits for the user like any other. */
export interface Undoing {
  /** Of the proposal. */
  readonly id: string;
  readonly path: string;
  readonly title: string;
}

export interface UndoingOptions {
  readonly history: History | undefined;
  readonly reviews: ReviewQueue;
  readonly folders: () => readonly string[];
  /** The exact text of a file; undefined for no file. */
  readonly read: (path: string) => Promise<string | undefined>;
}

/**
 * Proposes what takes a decision back: that with this id, or the last one that changed a file of the workspace. Resolves
 * once it is in the queue. Rejects with a NothingToUndo.
 */
export async function proposeUndo(
  id: string | undefined,
  { history, reviews, folders, read }: UndoingOptions,
): Promise<Undoing> {
  if (history === undefined) throw new NothingToUndo('This bridge keeps no history');
  const here = history.list().filter(({ path }) => folders().some((folder) => contains(folder, path)));
  const undo = async (decision: RememberedDecision) =>
    undoOf(decision, history.textsOf(decision), await read(decision.path));
  const decision = id === undefined ? await last(here.filter(changedFile), undo) : onlyMatch(here, id);
  const change = await undo(decision);
  // It belongs to no agent, so it waits until it is decided, or the bridge ends.
  const [{ signal }, name] = [new AbortController(), decision.id];
  const outcome = reviews.propose(change, { owner: history, signal, name, writer: 'bridge' });
  outcome.catch(() => {});
  await nextTurn();
  const proposal = reviews.find(history, name);
  if (proposal === undefined) throw new NothingToUndo(`It can't be shown: ${JSON.stringify(await outcome)}`);
  return { id: proposal.id, path: proposal.path, title: proposal.title };
}

/** The last one that has not been taken back. */
async function last(
  decisions: readonly RememberedDecision[],
  undo: (decision: RememberedDecision) => Promise<ProposedChange>,
): Promise<RememberedDecision> {
  for (const decision of decisions) {
    const change = await undo(decision).catch((error: unknown) => {
      if (!(error instanceof NothingToUndo)) throw error;
    });
    if (change !== undefined) return decision;
  }
  throw new NothingToUndo('Nothing that was accepted here can be taken back');
}

function changedFile({ decision, agent }: RememberedDecision): boolean {
  return decision === 'accepted' && agent !== UNDO;
}

function onlyMatch(decisions: readonly RememberedDecision[], start: string): RememberedDecision {
  const found = decisions.filter((decision) => decision.id.startsWith(start));
  const [only] = found;
  if (only === undefined) throw new NothingToUndo(`There is no decision ${start}; see hawser log`);
  if (found.length > 1) throw new NothingToUndo(`More than one decision starts with ${start}; see hawser log`);
  return only;
}
