import { contains, realPath } from './access/paths.ts';
import { closeAll } from './close-all.ts';
import { textOnDisk } from './comparable-text.ts';
import type { Editor } from './editor.ts';
import { editorApplier } from './review/applying/editor-applier.ts';
import { Handovers, type Mismatch, mismatchInWords } from './review/applying/handovers.ts';
import { keptFiles, keptTexts } from './review/applying/kept-texts.ts';
import { SetJournal } from './review/applying/set-journal.ts';
import type { Ruled } from './review/audience.ts';
import type { RememberedDecision } from './review/history/decision.ts';
import { type DecisionTexts, History } from './review/history/history.ts';
import { rememberDecisions } from './review/history/remember.ts';
import { proposeUndo, type Undoing } from './review/history/undoing.ts';
import { Noticer, type Suspect } from './review/noticing/noticer.ts';
import { type ChangedSince, Since } from './review/noticing/since.ts';
import { ReviewQueue } from './review/queue.ts';
import type { Rule } from './review/rules/rules.ts';
import { Rulings } from './review/rules/ruling.ts';
import { type ProposalWatch, refreshStale } from './review/stale.ts';
import { TemporaryFiles } from './temporary-files.ts';

export interface ReviewingOptions {
  readonly editor: Editor;
  /** Of the workspace. */
  readonly folders: () => readonly string[];
  /** Where the bridge keeps what must outlive it. Without it, a text that the user typed is kept in memory alone. */
  readonly stateFolder?: string | undefined;
  /** Whether decisions are remembered in the state folder, for `hawser log` and `hawser undo`. Default `kept`. */
  readonly history?: 'kept' | 'off' | undefined;
  /** Whether changes that agents make unasked are noticed and shown. Default `on`. */
  readonly noticing?: 'on' | 'off' | undefined;
  /** What is decided without asking, by default nothing; read anew for each proposal. */
  readonly rules?: (() => readonly Rule[]) | undefined;
  /** The agent that was active last; undefined if none is connected. */
  readonly suspect: () => Suspect | undefined;
  /** Watches files on disk. */
  readonly watch: (onChange: (path: string) => void) => ProposalWatch;
  readonly onProblem: (problem: Error) => void;
}

/** The whole way of a change, from its proposal until it is written and remembered. */
export interface Reviewing {
  readonly reviews: ReviewQueue;
  /** Call it when agents connect or leave. */
  agentsChanged(): void;
  /** What rules have decided; undefined if nothing yet. */
  ruled(): Ruled | undefined;
  /** Remembers the workspace as it is now, which `since` compares with. */
  mark(event: string): Promise<void>;
  /** The user is about to write this to a file, or to remove it: not a change to notice. */
  announce(path: string, text: string | undefined): void;
  /** Proposes what has changed since. Rejects with an Error for the user. */
  since(signal: AbortSignal): Promise<ChangedSince>;
  /** Proposes what takes a decision back. Rejects with an Error for the user. */
  undo(id: string | undefined): Promise<Undoing>;
  /** Files with versions of the user that could not be written, those of earlier bridges, too. */
  keptFiles(): readonly string[];
  /** What was decided in these folders, the newest first. */
  decisions(): readonly RememberedDecision[];
  textsOfDecision(decision: RememberedDecision): DecisionTexts;
  /** Writes what the user typed to a file that stays, and returns its path. */
  keepText(path: string, text: string): string;
  /** Withdraws what is open, after what is being written. */
  close(reason: string): Promise<void>;
}

export function openReviewing({
  editor,
  folders,
  stateFolder,
  watch,
  onProblem,
  ...options
}: ReviewingOptions): Reviewing {
  const temporaryFiles = new TemporaryFiles(stateFolder);
  const journal = new SetJournal(stateFolder);
  const recovering = journal.recover(temporaryFiles).then(
    (messages) => {
      for (const message of messages) onProblem(new Error(message));
    },
    (error: unknown) => onProblem(new Error('Half-written changes are not looked for', { cause: error })),
  );
  const kept = stateFolder === undefined ? undefined : keptTexts(stateFolder);
  const history = stateFolder === undefined || options.history === 'off' ? undefined : new History(stateFolder);
  const handovers = new Handovers({
    watch,
    kept,
    temporaryFiles,
    onMismatch: (mismatch) => {
      onProblem(new Error(mismatchInWords(mismatch)));
      if (!mismatch.isUnchanged) showMismatch(mismatch);
    },
    onProblem,
  });
  const rulings = options.rules && new Rulings({ rules: options.rules, folders, onProblem });
  const reviews = new ReviewQueue({
    onProblem,
    applier: editorApplier({ editor, temporaryFiles, journal, realPath }),
    kept,
    ruling: (proposal) => handovers.rulingOn(proposal) ?? rulings?.on(proposal),
    onHandover: (accepted, file) => handovers.follow(accepted, file),
  });
  /** The user takes back what the agent wrote instead, or keeps it. */
  const showMismatch = ({ accepted, found }: Mismatch) => {
    const { path, agent } = accepted.proposal;
    const effect = found === undefined ? 'noticedDelete' : 'noticed';
    const title = `${agent} wrote something else to ${path} than you accepted`;
    const change = { path, oldText: accepted.text, newText: found ?? '', agent, title, effect } as const;
    const options = { owner: handovers, signal: new AbortController().signal, writer: 'bridge' } as const;
    reviews.propose(change, options).catch(onProblem);
  };
  const { suspect } = options;
  const isExpected = (path: string) => handovers.has(path);
  const noticer =
    options.noticing === 'off' ? undefined : new Noticer({ reviews, folders, suspect, isExpected, onProblem });
  const since = new Since({ reviews, folders, suspect, onProblem });
  let hadAgents = false;
  const stops = [
    () => since.close(),
    editor.subscribe((event) => event.kind === 'saved' && noticer?.saved(event.path)),
    () => noticer?.close(),
    refreshStale(reviews, { watch, read, onProblem }),
    history === undefined ? () => {} : rememberDecisions(reviews, history, onProblem),
  ];
  return {
    reviews,
    agentsChanged: () => {
      noticer?.agentsChanged();
      const agent = suspect();
      // Until then nothing can be of an agent.
      if (agent !== undefined && !hadAgents) void since.mark(`${agent.name} connected`);
      hadAgents = agent !== undefined;
    },
    mark: (event) => since.mark(event),
    announce: (path, text) => noticer?.announce(path, text),
    since: (signal) => since.propose(signal),
    keptFiles: () => (stateFolder === undefined ? [] : keptFiles(stateFolder)),
    ruled: () => rulings?.last,
    decisions: () => history?.list().filter(({ path }) => folders().some((folder) => contains(folder, path))) ?? [],
    textsOfDecision: (decision) => history?.textsOf(decision) ?? NO_TEXTS,
    keepText: (path, text) => {
      if (kept === undefined) throw new Error('This bridge does not keep files');
      return kept.keep(path, text);
    },
    undo: (id) => proposeUndo(id, { history, reviews, folders, read }),
    close: (reason) => closeAll([() => recovering, () => reviews.close(reason), ...stops, () => handovers.close()]),
  };
}

const NO_TEXTS: DecisionTexts = { oldText: undefined, newText: undefined, accepted: undefined, lost: [] };

/** Paths of proposals are real ones. One that is a link by now may lead out of the workspace. */
async function read(path: string): Promise<string | undefined> {
  if ((await realPath(path)) !== path) throw new Error(`It is a symbolic link now: ${path}`);
  return await textOnDisk(path);
}
