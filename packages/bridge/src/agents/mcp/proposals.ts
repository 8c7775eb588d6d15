import { unifiedDiff } from '@hawser/diffs/unified-diff';
import type { RequestContext, ToolOutcome } from '@hawser/mcp';
import type { SharedEditor } from '../../access/shared-editor.ts';
import { textOnDisk } from '../../comparable-text.ts';
import { notesInWords } from '../../review/notes.ts';
import type { Outcome, Proposal, ProposedChange } from '../../review/proposal.ts';
import { clientName } from '../adapter-parts/agent-client.ts';
import type { ToolContext } from '../adapter-parts/tool-context.ts';
import { requireSaved, shortPath } from './places.ts';
import { list, object, TEXT } from './schemas.ts';
import { result } from './tool.ts';

/** A change that a tool wants to make to one file. */
export interface WantedChange {
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
          outcome: {
            enum: ['written', 'written with changes by the user', 'rejected', 'changes requested', 'withdrawn'],
          },
          notes: { ...TEXT, description: 'What the user says about the change' },
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
  return (await textOnDisk(path))?.replaceAll('\r\n', '\n');
}

/**
 * Shows the changes to the user, and waits until all are decided and those that were accepted are written. Rejects if they
 * can't be proposed.
 */
export async function proposeAndWrite(
  changes: readonly WantedChange[],
  title: string | undefined,
  { editor, reviews }: ToolContext,
  request: RequestContext,
): Promise<ToolOutcome> {
  if (reviews === undefined) throw new Error('Proposals are turned off');
  const proposed: ProposedChange[] = changes.map((change) => ({
    ...change,
    agent: clientName(request) ?? 'an agent',
    title: title ?? change.path,
  }));
  const stopProgress = reportWaiting(proposed, request);
  const options = { owner: request.session, signal: request.signal, writer: 'bridge' } as const;
  const [only] = proposed;
  try {
    const outcomes =
      proposed.length === 1 && only !== undefined
        ? [await reviews.propose(only, options)]
        : await reviews.proposeSet(proposed, { ...options, title: title ?? `Change ${proposed.length} files` });
    return asResult(
      outcomes.map((outcome, index) => fileOutcome(changes[index]?.path ?? '', outcome)),
      editor,
    );
  } finally {
    stopProgress();
  }
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
  readonly outcome: 'written' | 'written with changes by the user' | 'rejected' | 'changes requested' | 'withdrawn';
  readonly notes?: string;
  readonly user_changes?: string;
  readonly changes_on_save?: string;
  readonly reason?: string;
}

function fileOutcome(path: string, outcome: Outcome): FileOutcome {
  if (outcome.kind === 'withdrawn') return { path, outcome: 'withdrawn', reason: outcome.reason };
  const { proposal } = outcome;
  const words = notesInWords(outcome.notes, proposal);
  const notes = words === '' ? {} : { notes: words };
  if (outcome.kind !== 'accepted') {
    return { path, outcome: outcome.kind === 'rejected' ? 'rejected' : 'changes requested', ...notes };
  }
  const { accepted = '', saved = '' } = outcome.written ?? {};
  const changesOnSave = unifiedDiff(accepted, saved, { oldName: 'accepted', newName: 'saved' });
  const userChanges = unifiedDiff(proposal.newText, outcome.text, { oldName: 'proposed', newName: 'accepted' });
  return {
    path,
    outcome: userChanges === '' ? 'written' : 'written with changes by the user',
    ...notes,
    ...(userChanges !== '' && { user_changes: userChanges }),
    ...(changesOnSave !== '' && { changes_on_save: changesOnSave }),
    ...(proposal.base !== 'original' && { reason: whatChanged(proposal) }),
  };
}

/** What happened to the file since the agent proposed, and to that change when the user accepted. */
function whatChanged({ base, oldText }: Proposal): string {
  if (base === 'merged') return 'The file had changed since you proposed; both changes are in it';
  if (oldText === undefined) return 'The file had been deleted since you proposed; it is created again';
  return 'The file had changed since you proposed, in lines that you change; the accepted text replaced that change';
}

function asResult(outcomes: readonly FileOutcome[], editor: SharedEditor): ToolOutcome {
  const files = outcomes.map((outcome) => ({ ...outcome, path: shortPath(outcome.path, editor) }));
  const outcome = result(files.map(inWords).join('\n\n'), { files }) as object;
  const hasFailed = outcomes.every((each) => each.outcome === 'withdrawn');
  return { ...outcome, ...(hasFailed && { isError: true }) };
}

function inWords({ path, outcome, user_changes, changes_on_save, notes, reason }: FileOutcome): string {
  const onSave = changes_on_save === undefined ? '' : `\nThe editor changed it while saving:\n${changes_on_save}`;
  const said = notes === undefined ? '' : `\nThe user says:\n${notes}`;
  const note = reason === undefined ? '' : `\n${reason}.`;
  switch (outcome) {
    case 'written':
      return `${path}: the user accepted the change, and it is written.${said}${note}${onSave}`;
    case 'written with changes by the user':
      return `${path}: the user accepted the change with modifications, and the result is written. This is how it differs from what you proposed; keep the user's version:\n${user_changes}${said}${note}${onSave}`;
    case 'rejected':
      return `${path}: the user rejected the change; nothing is written.${said === '' ? ' Ask what they want before you propose it again.' : said}`;
    case 'changes requested':
      return `${path}: the user asks for changes; nothing is written. Propose it again with these changes.${said}`;
    case 'withdrawn':
      return `${path}: the proposal was withdrawn before the user decided (${reason}); nothing is written.`;
  }
}
