import type { RequestContext, ToolOutcome } from '@hawser/mcp';
import { readFileText } from '../../access/old-text.ts';
import type { SharedEditor } from '../../access/shared-editor.ts';
import { unifiedDiff } from '../../review/hunks/unified-diff.ts';
import type { Outcome, Proposal, ProposedChange } from '../../review/proposal.ts';
import { proposeSet } from '../../review/propose-set.ts';
import { clientName } from '../agent-client.ts';
import type { ToolContext } from '../tool-context.ts';
import { writeAccepted } from '../write-accepted.ts';
import { requireSaved, shortPath } from './places.ts';
import { list, object, TEXT } from './schemas.ts';
import { result } from './tool.ts';

/** A change that a tool wants to make to one file. */
export interface FileChange {
  /** Real. */
  readonly path: string;
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** What became of each file. */
export const OUTCOME_SCHEMA = object(
  {
    files: list(
      object(
        {
          path: TEXT,
          outcome: { enum: ['written', 'written with changes by the user', 'rejected', 'withdrawn', 'not written'] },
          user_changes: { ...TEXT, description: 'Unified diff from the proposed text to the accepted text' },
          changes_on_save: { ...TEXT, description: 'Unified diff from the accepted text to the saved text' },
          reason: TEXT,
        },
        ['path', 'outcome'],
      ),
    ),
  },
  ['files'],
);

const PROGRESS_MS = 5000;

/** Reads a file for a change. Refuses a document with unsaved text, which the change would not contain. */
export async function readForChange(path: string, editor: SharedEditor): Promise<string | undefined> {
  await requireSaved(path, editor);
  return (await readFileText(path))?.replaceAll('\r\n', '\n');
}

/**
 * Shows the changes to the user, waits until all are decided, and writes those that were accepted. Rejects if they can't
 * be proposed.
 */
export async function proposeAndWrite(
  changes: readonly FileChange[],
  title: string | undefined,
  { editor, reviews }: ToolContext,
  request: RequestContext,
): Promise<ToolOutcome> {
  if (reviews === undefined) throw new Error('The user wants no proposals');
  const proposed: ProposedChange[] = changes.map((change) => ({
    ...change,
    agent: clientName(request) ?? 'an agent',
    title: title ?? change.path,
  }));
  const stopProgress = reportWaiting(proposed, request);
  const options = { owner: request.session, signal: request.signal };
  let outcomes: readonly Outcome[];
  try {
    outcomes =
      proposed.length > 1
        ? await proposeSet(reviews, proposed, { ...options, title: title ?? `Change ${proposed.length} files` })
        : await Promise.all(proposed.map((change) => reviews.propose(change, options)));
  } finally {
    stopProgress();
  }
  // An agent that has gone, or has taken a part back, gets nothing written.
  const isWithdrawn = outcomes.some(({ kind }) => kind === 'withdrawn');
  const files: FileOutcome[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const path = changes[index]?.path ?? '';
    files.push(isWithdrawn ? withdrawn(path, outcomes) : await written(path, outcome, editor));
  }
  return asResult(files, editor);
}

/** Clients that get progress wait longer. Call the result to end it. */
function reportWaiting(changes: readonly ProposedChange[], request: RequestContext): () => void {
  let count = 0;
  const report = () => {
    count += 1;
    const what = changes.length === 1 ? 'this change' : `these changes of ${changes.length} files`;
    request.progress(count, undefined, `Waiting for the user to review ${what}, in the editor or with: hawser review`);
  };
  report();
  const timer = setInterval(report, PROGRESS_MS);
  return () => clearInterval(timer);
}

interface FileOutcome {
  readonly path: string;
  readonly outcome: 'written' | 'written with changes by the user' | 'rejected' | 'withdrawn' | 'not written';
  readonly userChanges?: string;
  readonly changesOnSave?: string;
  readonly reason?: string;
}

function withdrawn(path: string, outcomes: readonly Outcome[]): FileOutcome {
  const reasons = outcomes.flatMap((each) => (each.kind === 'withdrawn' ? [each.reason] : []));
  return { path, outcome: 'withdrawn', reason: reasons[0] ?? 'unknown' };
}

async function written(path: string, outcome: Outcome, editor: SharedEditor): Promise<FileOutcome> {
  if (outcome.kind !== 'accepted') return { path, outcome: 'rejected' };
  try {
    const { accepted, saved } = await writeAccepted(outcome, editor);
    const changesOnSave = unifiedDiff(accepted, saved, { oldName: 'accepted', newName: 'saved' });
    const { text, proposal } = outcome;
    const userChanges = unifiedDiff(proposal.newText, text, { oldName: 'proposed', newName: 'accepted' });
    return {
      path,
      outcome: userChanges === '' ? 'written' : 'written with changes by the user',
      ...(userChanges !== '' && { userChanges }),
      ...(changesOnSave !== '' && { changesOnSave }),
      ...(proposal.base !== 'original' && { reason: whatChanged(proposal) }),
    };
  } catch (error) {
    return { path, outcome: 'not written', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** What happened to the file since the agent proposed, and to that change when the user accepted. */
function whatChanged({ base, oldText }: Proposal): string {
  if (base === 'merged') return 'The file had changed since you proposed; both changes are in it';
  if (oldText === undefined) return 'The file had been deleted since you proposed; it is created again';
  return 'The file had changed since you proposed, in lines that you change; the accepted text replaced that change';
}

function asResult(outcomes: readonly FileOutcome[], editor: SharedEditor): ToolOutcome {
  const files = outcomes.map(({ path, outcome, userChanges, changesOnSave, reason }) => ({
    path: shortPath(path, editor),
    outcome,
    ...(userChanges !== undefined && { user_changes: userChanges }),
    ...(changesOnSave !== undefined && { changes_on_save: changesOnSave }),
    ...(reason !== undefined && { reason }),
  }));
  const texts = outcomes.map((each) => inWords(each, shortPath(each.path, editor)));
  const outcome = result(texts.join('\n\n'), { files }) as object;
  const hasFailed = outcomes.every((each) => each.outcome === 'not written' || each.outcome === 'withdrawn');
  return { ...outcome, ...(hasFailed && { isError: true }) };
}

function inWords({ outcome, userChanges, changesOnSave, reason }: FileOutcome, path: string): string {
  const onSave = changesOnSave === undefined ? '' : `\nThe editor changed it while saving:\n${changesOnSave}`;
  const note = reason === undefined ? '' : `\n${reason}.`;
  switch (outcome) {
    case 'written':
      return `${path}: the user accepted the change, and it is written.${note}${onSave}`;
    case 'written with changes by the user':
      return `${path}: the user accepted the change with modifications, and the result is written. This is how it differs from what you proposed; keep the user's version:\n${userChanges}${note}${onSave}`;
    case 'rejected':
      return `${path}: the user rejected the change; nothing is written. Ask what they want before you propose it again.`;
    case 'withdrawn':
      return `${path}: the proposal was withdrawn before the user decided (${reason}); nothing is written.`;
    case 'not written':
      return `${path}: the user accepted the change, but it could not be written: ${reason}`;
  }
}
