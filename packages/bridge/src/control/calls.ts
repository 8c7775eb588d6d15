import { ErrorCode, RpcError } from '@hawser/mcp';
import type { AgentClient } from '../agent.ts';
import type { Ending } from '../desk.ts';

/**
 * What a bridge and its own commands say to each other, in JSON-RPC, one message a line. Both are of one version: this
 * is no public protocol.
 */
export const Method = {
  status: 'status',
  list: 'proposals/list',
  get: 'proposals/get',
  decide: 'proposals/decide',
  /** Answered with what is there; from then on `came`, `went` and `changed` are told. */
  watch: 'watch',
  pause: 'pause',
  resume: 'resume',
  mention: 'mention',
  stop: 'stop',
} as const;

export const Event = { came: 'proposals/came', went: 'proposals/went', changed: 'status/changed' } as const;

/** From the range that JSON-RPC leaves to us. */
export const Refusal = { noProposal: -32_001, endedAlready: -32_002, paused: -32_003, notShared: -32_004 } as const;

export interface Status {
  readonly pid: number;
  readonly version: string;
  readonly folders: readonly string[];
  /** What becomes of proposals. */
  readonly review: string;
  readonly paused: boolean;
  readonly doors: readonly AgentStatus[];
  readonly shared: Shared;
  /** How many wait for a decision. */
  readonly proposals: number;
}

export interface AgentStatus {
  readonly name: string;
  readonly address: string;
  readonly lockPath?: string | undefined;
  readonly clients: readonly AgentClient[];
}

/** What agents see of the active document at the moment. Lines count from 0, both included. */
export type Shared =
  | { readonly kind: 'nothing'; readonly why: 'paused' | 'denied' | 'nothing is open' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'selection'; readonly path: string; readonly first: number; readonly last: number };

export interface Summary {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  /** Who proposes. */
  readonly from: string;
  readonly isNewFile: boolean;
}

export interface FullProposal extends Summary {
  /** Absent for a file that does not exist yet. */
  readonly oldText?: string | undefined;
  readonly newText: string;
}

/** Hunks are named by their indexes, from 0. */
export type WireChoice =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'some'; readonly hunks: readonly number[] }
  | { readonly kind: 'edited'; readonly text: string };

export interface Went {
  readonly id: string;
  readonly ending: Ending;
}

export interface Mention {
  readonly path: string;
  /** From 0, both included. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
}

/** What a request says, looked at before anything is done with it. */
export class Arguments {
  readonly #given: { readonly [name: string]: unknown };

  constructor(given: unknown) {
    if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
      throw wrong('the arguments are an object');
    }
    this.#given = { ...given };
  }

  text(name: string): string {
    const value = this.#given[name];
    if (typeof value !== 'string') throw wrong(`${name} is a text`);
    return value;
  }

  optionalIndex(name: string): number | undefined {
    const value = this.#given[name];
    if (value === undefined) return undefined;
    if (!isIndex(value)) throw wrong(`${name} is a number from 0`);
    return value;
  }

  choice(name: string): WireChoice {
    const value = this.#given[name];
    const { kind, hunks, text } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
    if (kind === 'all' || kind === 'none') return { kind };
    if (kind === 'some') {
      if (!Array.isArray(hunks) || !hunks.every(isIndex)) throw wrong(`${name}.hunks is a list of numbers from 0`);
      return { kind, hunks };
    }
    if (kind === 'edited') {
      if (typeof text !== 'string') throw wrong(`${name}.text is a text`);
      return { kind, text };
    }
    throw wrong(`${name}.kind is one of all, none, some, edited`);
  }
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function wrong(what: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid arguments: ${what}`);
}
