import { ErrorCode, RpcError } from '@hawser/mcp';
import type { Visibility } from '../access/access.ts';
import type { AgentClient } from '../agent.ts';
import type { FileDiagnostics, LanguageProgram, Range } from '../editor.ts';
import type { OutcomeSummary, Proposal, ProposalBase, ProposalSet } from '../review/proposal.ts';
import type { TrafficEntry } from '../traffic/traffic.ts';
import type { FeedBatch } from '../traffic/traffic-feed.ts';

/**
 * What a bridge and its commands say to each other, in JSON-RPC, one message per line. Not a public protocol: both sides
 * compare `PROTOCOL` and refuse to work with another one.
 */
export const PROTOCOL = 2;

export const Method = {
  status: 'status',
  list: 'proposals/list',
  get: 'proposals/get',
  decide: 'proposals/decide',
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
  /** From then on the caller receives the messages of agents. */
  watchTraffic: 'traffic/watch',
  stop: 'stop',
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
  readonly shared: Shared;
  /** How many proposals are open. */
  readonly proposals: number;
  /** Names of the reviewers that show them. */
  readonly reviewers: readonly string[];
  /** Counts changes of the editor's diagnostics; undefined if it has none. */
  readonly diagnosticsRevision?: number | undefined;
  /** The editor has no window, so what a view selects is what agents see. */
  readonly selectsInViews: boolean;
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
}

export function clientStatus({ disconnect: _, lastActivity, ...client }: AgentClient): ClientStatus {
  return { ...client, ...(lastActivity && { lastActivity: lastActivity.toISOString() }) };
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
  readonly set?: ProposalSet;
}

export function summaryOf({ id, path, title, agent, oldText, revision, base, set }: Proposal): ProposalSummary {
  return { id, path, title, agent, isNewFile: oldText === undefined, revision, base, ...(set && { set }) };
}

/** A decision in which the proposal's own text need not be sent. Hunks are indexes from 0. */
export type WireDecision =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'accepted'; readonly hunks: readonly number[] }
  | { readonly kind: 'accepted'; readonly text: string }
  | { readonly kind: 'rejected' };

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

/** Messages of agents, in order. */
export type TrafficBatch = FeedBatch<TrafficEntry>;

/** The parameters of a request, checked. */
export class Arguments {
  readonly #given: { readonly [name: string]: unknown };

  constructor(given: unknown) {
    if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
      throw invalid('params must be an object');
    }
    this.#given = { ...given };
  }

  text(name: string): string {
    const value = this.#given[name];
    if (typeof value !== 'string') throw invalid(`${name} must be a string`);
    return value;
  }

  optionalText(name: string): string | undefined {
    return this.#given[name] === undefined ? undefined : this.text(name);
  }

  /** A list of at most `most` texts. */
  texts(name: string, most: number): readonly string[] {
    const value = this.#given[name];
    const isList = Array.isArray(value) && value.length <= most && value.every((each) => typeof each === 'string');
    if (!isList) throw invalid(`${name} must be at most ${most} strings`);
    return value;
  }

  optionalIndex(name: string): number | undefined {
    const value = this.#given[name];
    if (value === undefined) return undefined;
    if (!isIndex(value)) throw invalid(`${name} must be a whole number from 0`);
    return value;
  }

  range(name: string): Range {
    const { start, end } = objectOf(this.#given[name]);
    const positions = [start, end].map((each) => {
      const { line, character } = objectOf(each);
      if (!isIndex(line) || !isIndex(character)) throw invalid(`${name} must have a start and an end`);
      return { line, character };
    });
    const [from, to] = positions as [Range['start'], Range['end']];
    return { start: from, end: to };
  }

  decision(name: string): WireDecision {
    const value = this.#given[name];
    const { kind, hunks, text } = objectOf(value);
    if (kind === 'rejected') return { kind };
    if (kind !== 'accepted') throw invalid(`${name}.kind must be accepted or rejected`);
    if (hunks !== undefined) {
      if (!Array.isArray(hunks) || !hunks.every(isIndex)) throw invalid(`${name}.hunks must be whole numbers from 0`);
      return { kind, hunks };
    }
    if (text === undefined) return { kind };
    if (typeof text !== 'string') throw invalid(`${name}.text must be a string`);
    return { kind, text };
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid arguments: ${message}`);
}
