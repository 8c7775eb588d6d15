import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { makeAccess } from '../src/access/access.ts';
import { claudeCodeAdapter } from '../src/agents/claude-code/adapter.ts';
import { type Bridge, openBridge } from '../src/bridge.ts';
import type { ControlClient } from '../src/control/control-client.ts';
import type { Editor } from '../src/editor.ts';
import { workspaceEditor } from '../src/editors/workspace/workspace-editor.ts';
import { type Agent, connectAgent } from './agent.ts';

/** A bridge within the test, that Claude Code could connect to, with a client of its control. */
export interface BridgeUnderTest {
  /** The workspace. */
  readonly folder: string;
  readonly bridge: Bridge;
  readonly client: ControlClient;
  /** Writes a file of the workspace and returns its path. */
  file(name: string, text: string): string;
  /** An agent that is ready. */
  agent(): Promise<Agent>;
}

export async function openBridgeUnderTest(
  makeEditor: (folder: string) => Editor = (folder) => workspaceEditor({ folders: [folder] }),
): Promise<BridgeUnderTest> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-bridge-')));
  const folder = join(home, 'work');
  mkdirSync(folder);
  const agents: Agent[] = [];
  const bridge = await openBridge({
    editor: makeEditor(folder),
    access: makeAccess({ folders: [folder], home }),
    agents: [
      claudeCodeAdapter({
        stateFolder: join(home, 'state'),
        lockFolder: join(home, 'ide'),
        ideName: 'Hawser',
        runningInWindows: false,
      }),
    ],
    reviewers: [],
    identity: { name: 'Hawser', version: '0', pid: process.pid },
  });
  onTestFinished(async () => {
    for (const agent of agents) agent.close();
    await bridge.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    folder,
    bridge,
    client: bridge.connect(),
    file: (name, text) => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    agent: async () => {
      const [adapter] = bridge.agents;
      const token = JSON.parse(readFileSync(adapter?.discoveryFiles[0] ?? '', 'utf8')).authToken;
      const agent = await connectAgent(adapter?.endpoints[0] ?? '', token);
      agents.push(agent);
      await agent.initialize();
      await agent.settled();
      return agent;
    },
  };
}
