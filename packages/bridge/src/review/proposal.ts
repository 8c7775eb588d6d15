/** A change that an agent wants to make to one file. */
export interface ProposedChange {
  /** Absolute. */
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
  /** The set that this change is a member of; undefined if it stands alone. */
  readonly set?: ProposalSet;
}

/** A change of several files. Each is a proposal of its own; the agent waits until all of them are decided. */
export interface ProposalSet {
  readonly id: string;
  /** What the whole set does, for example `Rename greet to welcome`. */
  readonly title: string;
  /** Which of `size` members this is, from 0. */
  readonly index: number;
  readonly size: number;
}

/** A proposed change in the queue. Never modified: when its file changes, a new revision with the same id replaces it. */
export interface Proposal extends ProposedChange {
  readonly id: string;
  /** Smaller for what was proposed earlier. Reviewers see a proposal once its file is read, which may be in another order. */
  readonly arrival: number;
  /** 0 as proposed, one more each time the file changes. An acceptance names the revision that the user saw. */
  readonly revision: number;
  readonly base: ProposalBase;
}

/**
 * `original`: the file has not changed since the agent proposed. `merged`: it has, and `newText` contains both changes.
 * `conflict`: it has, and `newText`, which is the agent's, undoes that.
 */
export type ProposalBase = 'original' | 'merged' | 'conflict';

/** The user's answer. `text` is what the file should contain: all of the proposal, part of it, or an edited version. */
export type Decision = { readonly kind: 'accepted'; readonly text: string } | { readonly kind: 'rejected' };

export interface Withdrawn {
  readonly kind: 'withdrawn';
  readonly reason: string;
}

/** How a proposal ended: decided by the user, or withdrawn before that. */
export type Outcome = Accepted | { readonly kind: 'rejected' } | Withdrawn;

export interface Accepted {
  readonly kind: 'accepted';
  readonly text: string;
  /** The revision that the user accepted: the file contained its `oldText` then. */
  readonly proposal: Proposal;
}

/** An outcome without its text, for display. */
export type OutcomeSummary =
  | { readonly kind: 'accepted'; readonly text: 'as proposed' | 'changed' }
  | { readonly kind: 'rejected' }
  | Withdrawn;
