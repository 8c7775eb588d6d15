import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Access, makeAccess } from '../src/access/access.ts';
import type { AgentAdapter, OpenAdapter } from '../src/agent.ts';
import { type Bridge, openBridge } from '../src/bridge.ts';
import {
  type WorkspaceEditor,
  type WorkspaceEditorOptions,
  workspaceEditor,
} from '../src/editors/workspace/workspace-editor.ts';
import type { Agent, Dialect } from './agent.ts';
import { drivers } from './dialects.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { User } from './user.ts';

/** Where an adapter keeps its files in tests. */
export interface AdapterFolders {
  readonly stateFolder: string;
  /** Of the user; the workspace is the folder `work` in it. */
  readonly home: string;
}

export interface AdapterUnderTest {
  readonly dialect: Dialect;
  make(folders: AdapterFolders): AgentAdapter;
  /** What the bridge calls itself. */
  readonly identity: { readonly name: string; readonly version: string };
  /** The workspace that a lock file of this adapter names. */
  workspaceIn(lock: { readonly [name: string]: unknown }): unknown;
}

/** A workspace with bridges, an editor, a user and agents; all of it is gone after the test. */
export class Stage {
  readonly home = temporaryFolder();
  readonly folder = join(this.home, 'work');
  readonly user = new User();
  readonly access: Access;
  readonly editor: WorkspaceEditor;
  readonly #underTest: AdapterUnderTest;
  readonly #agents: Agent[] = [];
  readonly #bridges: Bridge[] = [];

  constructor(underTest: AdapterUnderTest, options: Partial<WorkspaceEditorOptions> = {}) {
    this.#underTest = underTest;
    mkdirSync(this.folder);
    this.access = makeAccess({ folders: [this.folder], home: this.home });
    this.editor = workspaceEditor({ folders: [this.folder], ...options });
    onTestFinished(() => this.close());
  }

  /** Opens a bridge with this one adapter. */
  async openAdapter(editor = this.editor): Promise<OpenAdapter> {
    const bridge = await openBridge({
      editor,
      access: this.access,
      agents: [this.#underTest.make({ stateFolder: join(this.home, 'state'), home: this.home })],
      reviewers: [this.user],
      // A file that a test writes is not what an agent changed unasked.
      noticing: 'off',
      identity: { ...this.#underTest.identity, pid: process.pid },
    });
    this.#bridges.push(bridge);
    return bridge.agents[0] as OpenAdapter; // it rejects without one
  }

  /** Writes a file and returns its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** An agent that is ready. */
  async agent(adapter: OpenAdapter, dialect = this.#underTest.dialect): Promise<Agent> {
    const agent = await this.connect(adapter, dialect);
    await agent.initialize();
    // Its answer shows that notifications/initialized, which has none, was read.
    await agent.settled();
    return agent;
  }

  async connect(adapter: OpenAdapter, dialect = this.#underTest.dialect): Promise<Agent> {
    const agent = await drivers[dialect].connect(addressOf(adapter), lockOf(adapter));
    this.#agents.push(agent);
    return agent;
  }

  /** The arguments of the call that proposes a change. */
  diff(path: string, contents: string, tab_name = 'tab') {
    return drivers[this.#underTest.dialect].diff(path, contents, tab_name).arguments;
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) agent.close();
    for (const bridge of this.#bridges) await bridge.close();
    await this.editor.close();
  }
}

export function addressOf({ endpoints }: OpenAdapter): string {
  return endpoints[0] as string; // every adapter under test has one
}

export function lockPathOf({ discoveryFiles }: OpenAdapter): string {
  return discoveryFiles[0] as string; // every adapter under test has one
}

export function lockOf(adapter: OpenAdapter): { readonly [name: string]: unknown } {
  return JSON.parse(readFileSync(lockPathOf(adapter), 'utf8'));
}

export function tokenOf(adapter: OpenAdapter): string {
  const lock = lockOf(adapter);
  const driver = Object.entries(drivers).find(([name]) => name === adapter.name)?.[1];
  return driver === undefined ? (lock.authToken as string) : driver.tokenIn(lock);
}

/** Resolves once the editor's command has reported something. */
export async function diagnosed(editor: WorkspaceEditor): Promise<void> {
  const reported = new Promise<void>((resolve) => {
    const stop = editor.subscribe(({ kind }) => {
      if (kind !== 'diagnostics') return;
      stop();
      resolve();
    });
  });
  if ((await editor.diagnostics?.())?.length === 0) await reported;
}
