import type { Editor } from './editor.ts';

/** How one kind of agent finds us, proves itself, and what it calls things. */
export interface AgentAdapter {
  readonly name: string;
  /** Begins to serve the editor. Rejects, saying why, when that cannot be done. */
  open(editor: Editor): Promise<OpenAdapter>;
}

export interface OpenAdapter {
  readonly name: string;
  /** Where agents come in, such as `ws://127.0.0.1:40123/`. */
  readonly address: string;
  /** The file by which agents find it, if there is one. */
  readonly lockPath: string | undefined;
  /** Who is connected. */
  clients(): readonly AgentClient[];
  /** Takes the lock file away at once, for the end of the process. */
  removeLock(): void;
  /** Takes down everything: connections, lock files. Safe to call twice. */
  close(): Promise<void>;
}

export interface AgentClient {
  /** What it says it is, or `unknown`. */
  readonly name: string;
  readonly version: string | undefined;
  readonly state: 'waiting' | 'initializing' | 'ready' | 'closed';
}
