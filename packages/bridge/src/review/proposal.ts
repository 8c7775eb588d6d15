/** A change that an agent wants to make to one file, or a command that it wants to run. */
export interface ProposedChange {
  /** Absolute. Of a command: the folder in which it runs. */
  readonly path: string;
  /** Where `oldText` was read, if not from `path`. */
  readonly oldPath?: string;
  /** The file's text when the change was proposed; undefined for a new file. */
  readonly oldText: string | undefined;
  readonly newText: string;
  /** The agent's name, for display. */
  readonly agent: string;
  /** What the agent calls this change, or its path. */
  readonly title: string;
  /** Default `edit`. */
  readonly effect?: ProposalEffect;
  /** What the user can do about it, in a sentence, besides deciding. */
  readonly advice?: string;
  /** The agent's hook asks, before its tool runs. */
  readonly isOfGate?: true;
  /** How notes reach this agent. Default `words`. */
  readonly noteDelivery?: NoteDelivery;
  /** The set that this change is a member of; undefined if it stands alone. */
  readonly set?: ProposalSet;
}

/**
 * `edit`: the file gets a new text, or is made. `delete`: the file goes, unless the user keeps some of its text. `command`:
 * `newText` is a command, or another call of the agent; it runs if it is accepted, and no file is compared. `noticed`: the
 * file has `newText` already, because an agent wrote it unasked; accepting keeps it, rejecting writes `oldText` back.
 * `noticedDelete`: the same of a file that is gone.
 */
export type ProposalEffect = 'edit' | 'delete' | 'command' | 'noticed' | 'noticedDelete';

/**
 * `words`: the agent's model reads them. `mention`: its protocol has no room for words, so it is pointed to the lines. `none`:
 * not at all.
 */
export type NoteDelivery = 'words' | 'mention' | 'none';

/** Changes of several files. The user decides on each; they end together, and what is accepted is written as a whole. */
export interface ProposalSet {
  readonly id: string;
  /** What the whole set does, for example `Rename greet to welcome`. */
  readonly title: string;
  /** Which of `size` members this is, from 0. */
  readonly index: number;
  readonly size: number;
}

/** A proposed change in the queue. Never modified: a new value with the same id replaces it. */
export interface Proposal extends ProposedChange {
  readonly id: string;
  /** Smaller for what was proposed earlier. Reviewers see a proposal once its file is read, which may be in another order. */
  readonly arrival: number;
  /** 0 as proposed, one more each time the file changes. An acceptance names the revision that the user saw. */
  readonly revision: number;
  readonly base: ProposalBase;
  /** Counts the prompts of this agent: its changes with the same number belong together. */
  readonly turn: number;
  /** What the same agent proposed for the same file before this, if the user asked for changes or rejected it with notes. */
  readonly previous?: PreviousRound;
  /** Absent while nobody has decided. */
  readonly progress?: Progress;
}

/**
 * `original`: the file has not changed since the agent proposed. `merged`: it has, and `newText` contains both changes.
 * `conflict`: it has, and `newText`, which is the agent's, undoes that.
 */
export type ProposalBase = 'original' | 'merged' | 'conflict';

/** An earlier proposal for the same file. */
export interface PreviousRound {
  /** 1 for the first. */
  readonly round: number;
  readonly oldText: string | undefined;
  readonly newText: string;
  readonly notes: readonly Note[];
  /** What the user had decided on its hunks, in their order. */
  readonly marks: readonly HunkMark[];
}

/** The user's view of one hunk. */
export type HunkMark = 'accepted' | 'rejected' | 'undecided';

/** What has become of the user's decision on a proposal that is still open. */
export type Progress =
  /** The rest of its set is undecided. A new decision replaces this one. */
  | { readonly kind: 'decided'; readonly decision: Decided; readonly by: string }
  | { readonly kind: 'applying'; readonly by: string }
  /** Nothing was written. The user decides again. */
  | { readonly kind: 'failed'; readonly reason: string; readonly text: string };

export type Decided = 'accepted' | 'rejected';

/** What the user says about a proposal: all of it, or some of its lines. */
export interface Note {
  readonly text: string;
  readonly lines?: NotedLines;
}

export interface NotedLines {
  readonly side: 'old' | 'new';
  /** From 0. */
  readonly first: number;
  readonly count: number;
}

/**
 * The user's answer. Accepted is the proposal's own text, or only these hunks of it, counted from 0, or `text`, which may
 * be an edited version. `changesRequested`: nothing is written, and the agent learns what the user wants. `text` of a
 * proposal that is not accepted is what the user had made of it: it is kept in a file, in case they want it after all.
 */
export type Decision =
  | (Noted & { readonly kind: 'accepted'; readonly text?: string; readonly hunks?: readonly number[] })
  | (Noted & { readonly kind: 'rejected'; readonly text?: string })
  | (Noted & { readonly kind: 'changesRequested'; readonly text?: string; readonly marks?: readonly HunkMark[] });

export interface Noted {
  readonly notes?: readonly Note[];
}

/** How a proposal ended: decided by the user, or withdrawn before that. */
export type Outcome = Accepted | Rejected | Withdrawn;

export interface Accepted {
  readonly kind: 'accepted';
  /** What the file should contain. */
  readonly text: string;
  /** The revision that the user accepted: the file contained its `oldText` then. */
  readonly proposal: Proposal;
  readonly notes: readonly Note[];
  /** What the file contains now, if the bridge has written it. */
  readonly written?: Written | undefined;
}

export interface Rejected {
  readonly kind: 'rejected' | 'changesRequested';
  readonly proposal: Proposal;
  readonly notes: readonly Note[];
}

export interface Withdrawn {
  readonly kind: 'withdrawn';
  readonly reason: string;
  /** The agent closed this proposal by its name, as agents do once the user has decided in their own terminal. */
  readonly isClosedByAgent?: true;
}

/** A text as it was to be written, and as it is in the file: they differ if the editor changed it while it saved. */
export interface Written {
  readonly accepted: string;
  readonly saved: string;
}

/** An outcome without its texts, for display. `by` names the reviewer in which the user decided. */
export type OutcomeSummary =
  | {
      readonly kind: 'accepted';
      readonly text: 'as proposed' | 'changed';
      readonly writer: Writer;
      readonly by: string;
    }
  /** `kept` is the file with what the user had made of it. */
  | { readonly kind: 'rejected' | 'changesRequested'; readonly by: string; readonly kept?: string }
  | Withdrawn;

/** Who writes what the user accepts. */
export type Writer = 'agent' | 'bridge';
