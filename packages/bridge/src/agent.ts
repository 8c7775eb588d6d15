import type { SharedEditor } from './access/shared-editor.ts';
import type { Guide, GuidePlaces } from './connect/guide.ts';
import type { Address } from './discovery/address.ts';
import type { AgentPlaces, DiscoveryFormat, UserPlaces } from './discovery/format.ts';
import type { Gate } from './gate.ts';
import type { Log } from './log.ts';
import type { ReviewQueue } from './review/queue.ts';
import type { TrafficObserver } from './traffic/traffic.ts';

/**
 * Everything that Hawser knows of one kind of agent. Every command loads it, so it imports its adapter when that is asked
 * for.
 */
export interface Agent {
  /** The name of its folder, as used in `--agents`: `claude-code`. */
  readonly name: string;
  /** For display: `Claude Code`. */
  readonly title: string;
  /** The program that the user starts; undefined for one that is part of an editor. */
  readonly program?: AgentProgram;
  /** Its own connection to editors; undefined if it has none, or that of another agent. */
  readonly connection?: AgentConnection;
  /** Undefined if it is part of an editor. */
  readonly review?: AgentReview;
  /** Whether a client that connected through this adapter is this agent. Default: if the adapter is its own. */
  readonly isClient?: (adapter: string, client: string) => boolean;
  /** How it is connected and configured, for `hawser connect`. */
  readonly guide?: (places: GuidePlaces) => Guide;
  /** Its hook before each change, for `hawser gate`; undefined if it has none. */
  readonly gate?: () => Promise<Gate>;
}

export interface AgentProgram {
  readonly command: string;
  /** The command that installs it. */
  readonly install: string;
  /** Arguments before those of the user, unless the user gave them. */
  readonly args?: readonly string[];
  /** Variables besides those of the adapters. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Makes it ask before it edits; undefined if it needs nothing for that, or can't. */
  readonly asking?: AskingMode;
  /** What the user reads when it is started, about the review of its edits. */
  readonly notice?: string;
}

/** The argument that makes an agent ask before it edits, and when it is left out. */
export interface AskingMode {
  /** One of `args`, as `--option=value`. Left out if the user gives the same option. */
  readonly flag: string;
  /** Arguments of the user that choose another mode, or make it do something else than a conversation. */
  readonly unless: readonly string[];
  /** Its commands, such as `mcp`, do not take the flag. */
  readonly onlyBeforeFlags?: true;
  readonly setting?: ModeSetting;
}

/** Where the settings of an agent say in which mode it starts. */
export interface ModeSetting {
  readonly userFolder: (places: UserPlaces) => string;
  /** In a project. */
  readonly projectFolder: string;
  readonly files: readonly string[];
  readonly at: readonly [string, string];
  /** The values with which it asks. */
  readonly asks: readonly string[];
}

/** Whether the edits of an agent are reviewed before they are written. */
export interface AgentReview {
  readonly kind: 'yes' | 'no' | 'depends';
  /** In one sentence, whatever the kind. */
  readonly sentence: string;
  /** What the user does so that they are. */
  readonly todo?: string;
  /** What the user does after it has edited without asking; undefined if it never asks. */
  readonly toBeAsked?: string;
}

export interface AgentConnection {
  readonly opened: 'by default' | 'on request';
  /** Its address and lock file are those of the bridge, for users and plugins, wherever the user has named it. One agent's. */
  readonly isMain?: true;
  readonly listensOn: 'port' | 'socket';
  /** The files by which it finds editors; undefined if it needs none. */
  readonly discovery?: DiscoveryFormat;
  adapter(settings: AdapterSettings, places: AgentPlaces): Promise<AgentAdapter>;
}

/** What the user decides about an adapter. */
export interface AdapterSettings {
  /** Its port, if the user chose one. */
  readonly port: number | undefined;
  /** What agents call the editor. */
  readonly ideName: string;
  /** Runs code for agents, if the user wants that. */
  readonly evaluate: Evaluate | undefined;
}

/** Runs code for an agent's model. An error of the code is a result, too; rejects if the code can't be run. */
export type Evaluate = (code: string, options: { readonly signal: AbortSignal }) => Promise<CodeResult>;

export interface CodeResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Connects one kind of agent to the bridge: how it finds the bridge, how it authenticates, and what it calls things. */
export interface AgentAdapter {
  /** As used in `--agents`, for example `claude-code`. */
  readonly name: string;
  /** Starts listening and writes the discovery files. Rejects with a readable error if it can't. */
  open(bridge: BridgeServices): Promise<OpenAdapter>;
}

export interface OpenAdapter {
  readonly name: string;
  /** Where agents connect, for status output: `ws://127.0.0.1:40123/`. */
  readonly endpoints: readonly string[];
  /** Files by which agents find the bridge. They can move when the workspace changes. */
  readonly discoveryFiles: readonly string[];
  /** Environment variables for agents that the editor starts. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absent if its protocol has no message for mentions. */
  readonly takesMentions?: true | undefined;
  clients(): readonly AgentClient[];
  /** Removes the discovery files at once, for a process that is about to end. */
  removeDiscovery(): void;
  /** Closes connections and removes the discovery files. Safe to call twice. */
  close(): Promise<void>;
}

export interface AgentClient {
  /** Unique within the bridge, for example `claude-code-1`. */
  readonly id: string;
  /** What it calls itself, checked for display, or `unknown`. */
  readonly name: string;
  readonly version: string | undefined;
  readonly state: 'waiting' | 'initializing' | 'ready' | 'closed';
  /** How many tools it has called. */
  readonly calls: number;
  /** When it sent its last message. */
  readonly lastActivity: Date | undefined;
  /** Closes its connection. It may connect again. */
  disconnect(): Promise<void>;
}

/** What every adapter works with. Access rules are already applied: nothing here shows what agents may not see. */
export interface BridgeServices {
  readonly editor: SharedEditor;
  /** Undefined if the user wants no proposals; an adapter then offers no way to make them. */
  readonly reviews: ReviewQueue | undefined;
  readonly identity: BridgeIdentity;
  readonly log: Log;
  /** Report every message to it, in both directions. */
  readonly traffic: TrafficObserver;
  /** What the adapters of this bridge have open. */
  readonly endpoints: Set<OpenEndpoint>;
  /** Resolves when every adapter is open or has failed. */
  readonly opened: Promise<void>;
  /** Call it after `clients()` has changed. */
  clientsChanged(): void;
}

/** Where an adapter listens and the files that belong to it. */
export interface OpenEndpoint {
  readonly stateFolder: string;
  readonly socketFolder: string | undefined;
  readonly address: Address;
  readonly lockPaths: () => readonly string[];
}

export interface BridgeIdentity {
  /** What MCP servers of this bridge call themselves. */
  readonly name: string;
  readonly version: string;
  /** What `hawser status` shows. Default: `version`. */
  readonly hawserVersion?: string | undefined;
  /** The process whose end makes the discovery files stale. */
  readonly pid: number;
  /** It serves a folder only until an editor does. */
  readonly isStandIn?: boolean | undefined;
}
