import type { Visibility } from '../access/access.ts';
import type { AgentClient } from '../agent.ts';
import type { FileDiagnostics, LanguageProgram, Range, UncheckedLanguage } from '../editor.ts';
import type { Ruled } from '../review/audience.ts';
import type { RememberedDecision } from '../review/history/decision.ts';
import type { LastChange, LastChanges } from '../review/last-changes.ts';
import type {
  OutcomeSummary,
  Progress,
  Proposal,
  ProposalBase,
  ProposalEffect,
  ProposalSet,
} from '../review/proposal.ts';
import type { TrafficEntry } from '../traffic/traffic.ts';
import type { ServedPage } from './pages.ts';

/**
 * What a bridge and its commands say to each other, in JSON-RPC, one message per line. Not a public protocol: both sides
 * compare `PROTOCOL` and refuse to work with another one.
 */
export const PROTOCOL = 4;

export const Method = {
  status: 'status',
  list: 'proposals/list',
  get: 'proposals/get',
  decide: 'proposals/decide',
  /** Proposes what takes a decision back. */
  undo: 'proposals/undo',
  /** Remembers the workspace as it is now. */
  mark: 'workspace/mark',
  /** The user is about to write a text to a file, or without one to remove it: no agent does. */
  announce: 'workspace/announce',
  /** Proposes what has changed since. */
  since: 'proposals/since',
  /** Attaches the caller as a reviewer: from then on it receives the events. */
  review: 'review',
  pause: 'pause',
  resume: 'resume',
  mention: 'mention',
  environment: 'agents/environment',
  disconnect: 'agents/disconnect',
  files: 'files/list',
  visibility: 'files/visibility',
  readFile: 'files/read',
  /** Makes a selection the user's own, if the editor has no window. */
  select: 'files/select',
  diagnostics: 'diagnostics',
  /** Answered when the user has decided what an agent's hook asks about. */
  answerHook: 'gate/answer',
  /** From then on the caller receives the messages of agents. */
  watchTraffic: 'traffic/watch',
  stop: 'stop',
  /** What was decided, the newest first. */
  log: 'log/list',
  loggedTexts: 'log/texts',
  /** Writes what the user typed, and what would be lost, to a file. */
  keepText: 'texts/keep',
  /** Serves the page, unless it is served, and makes a link. */
  openPage: 'page/open',
  closePage: 'page/close',
  pageLogins: 'page/logins',
  revokeLogin: 'page/revoke',
} as const;

export const Event = {
  added: 'proposals/added',
  refreshed: 'proposals/refreshed',
  removed: 'proposals/removed',
  status: 'status/changed',
  traffic: 'traffic/messages',
  /** The connection was refused; sent before it is closed. */
  refused: 'refused',
} as const;

/** How many files one call asks about. */
export const MAX_VISIBILITIES = 500;

/** From the range that JSON-RPC leaves to applications. */
export const Refusal = {
  noProposal: -32_001,
  paused: -32_003,
  notShared: -32_004,
  tooMany: -32_005,
  failed: -32_006,
} as const;

export interface Status {
  readonly protocol: number;
  readonly pid: number;
  readonly version: string;
  /** It serves the folder only until an editor does. */
  readonly isStandIn?: true;
  /** The editor's name. */
  readonly editor: string;
  readonly folders: readonly string[];
  readonly paused: boolean;
  readonly agents: readonly AgentStatus[];
  /** Adapters that could not be opened, and why; absent if there are none. */
  readonly failures?: readonly { readonly name: string; readonly problem: string }[] | undefined;
  /** What the bridge has found for diagnostics and language features; absent if the editor has its own. */
  readonly languagePrograms?: readonly LanguageProgram[];
  /** Languages of the workspace that none of them is for. */
  readonly uncheckedLanguages?: readonly UncheckedLanguage[];
  /** The names of agents whose gate is on: they wait for a decision in every mode. */
  readonly gates?: readonly string[];
  readonly shared: Shared;
  /** How many proposals are open. */
  readonly proposals: number;
  /** What was decided without asking, by rules of the user; absent before the first time. */
  readonly ruled?: Ruled;
  /** Files with versions of the user that could not be written; absent if there are none. */
  readonly kept?: readonly string[];
  /** Names of the reviewers that show them. */
  readonly reviewers: readonly string[];
  /** Counts changes of the editor's diagnostics; undefined if it has none. */
  readonly diagnosticsRevision?: number | undefined;
  /** The editor has no window, so what a view selects is what agents see. */
  readonly selectsInViews: boolean;
  /** The user's own patterns of files that are never sent; absent if there are none. */
  readonly deny?: readonly string[];
  /** Windows of editors can join this bridge through its socket. */
  readonly acceptsEditors?: true;
  /** Where the page is served; absent if it is not. */
  readonly web?: readonly ServedPage[];
}

export interface AgentStatus {
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly discoveryFiles: readonly string[];
  readonly clients: readonly ClientStatus[];
}

export interface ClientStatus extends Omit<AgentClient, 'lastActivity' | 'disconnect'> {
  /** When it sent its last message, as in `2026-01-31T12:00:00.000Z`. */
  readonly lastActivity?: string | undefined;
  /** Its last change of a file; absent if it has made none. */
  readonly lastChange?: LastChange;
}

export function clientStatus(
  { disconnect: _, lastActivity, ...client }: AgentClient,
  lastChanges: Pick<LastChanges, 'of'>,
): ClientStatus {
  const lastChange = lastChanges.of(client.name);
  return {
    ...client,
    ...(lastActivity && { lastActivity: lastActivity.toISOString() }),
    ...(lastChange && { lastChange }),
  };
}

/** What agents see of the active document now. Lines count from 0, both included. */
export type Shared =
  | { readonly kind: 'nothing'; readonly reason: 'paused' | 'denied' | 'outside' | 'no open file' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'selection'; readonly path: string; readonly first: number; readonly last: number };

/** A proposal without its texts. */
export interface ProposalSummary {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly agent: string;
  readonly isNewFile: boolean;
  readonly revision: number;
  readonly base: ProposalBase;
  readonly effect: ProposalEffect;
  readonly turn: number;
  readonly set?: ProposalSet;
  readonly progress?: Progress;
}

export function summaryOf(proposal: Proposal): ProposalSummary {
  const { id, path, title, agent, oldText, revision, base, effect = 'edit', turn, set, progress } = proposal;
  const isNewFile = oldText === undefined;
  return {
    id,
    path,
    title,
    agent,
    isNewFile,
    revision,
    base,
    effect,
    turn,
    ...(set && { set }),
    ...(progress && { progress }),
  };
}

export interface Removed {
  readonly id: string;
  readonly outcome: OutcomeSummary;
}

export interface Mention {
  readonly path: string;
  /** From 0, both included. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
}

/** The files that git does not ignore. Paths are relative to their folder, with slashes. */
export interface FolderFiles {
  readonly folder: string;
  readonly files: readonly string[];
  /** There are more. */
  readonly isCut: boolean;
}

export interface FileText {
  readonly text: string;
  /** What agents see of it now. */
  readonly visibility: Visibility;
}

export interface WireSelection {
  readonly path: string;
  readonly range: Range;
}

export interface DiagnosticsList {
  readonly files: readonly FileDiagnostics[];
  /** How many there are in all; `files` may contain fewer. */
  readonly total: number;
}

/** A decision without its texts. */
export interface LoggedDecision
  extends Pick<RememberedDecision, 'id' | 'time' | 'path' | 'agent' | 'effect' | 'decision' | 'by' | 'notes'> {
  readonly isNewFile: boolean;
  /** The user changed it, or accepted some of its hunks. */
  readonly isChanged: boolean;
}

/** Messages of agents, in order. */
export interface TrafficBatch {
  readonly entries: readonly TrafficEntry[];
  /** How many entries before these the reader has lost. */
  readonly dropped: number;
}
