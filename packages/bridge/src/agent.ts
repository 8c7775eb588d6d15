import type { SharedEditor } from './access/shared-editor.ts';
import type { Log } from './log.ts';
import type { ReviewQueue } from './review/queue.ts';
import type { TrafficObserver } from './traffic/traffic.ts';

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
  /** Call it after `clients()` has changed. */
  clientsChanged(): void;
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
