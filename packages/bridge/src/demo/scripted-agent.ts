import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@hawser/mcp/client';
import { connectWebSocket } from '@hawser/mcp/websocket';
import { websocketEndpoint } from '../agents/adapter-parts/websocket-endpoint.ts';
import { claudeLockReader } from '../agents/claude-code/lock.ts';
import { findLocks } from '../discovery/sweep.ts';
import { PROPOSED_FILE, PROPOSED_TEXT } from './sample.ts';

export type DemoStep =
  | { readonly kind: 'connected' }
  | { readonly kind: 'proposing' }
  /** The user decided; `wrote` is false if the change was rejected. */
  | { readonly kind: 'answered'; readonly answer: string; readonly wrote: boolean };

export interface ScriptedAgentOptions {
  readonly workspace: string;
  readonly lockFolder: string;
  readonly version: string;
  readonly isWindows: boolean;
  readonly signal: AbortSignal;
  readonly onStep: (step: DemoStep) => void;
}

/**
 * Does what Claude Code does: finds the bridge by its lock file, connects with the token, proposes a change, waits for the
 * user, and writes the text that the user accepted. Resolves when the bridge closes the connection.
 */
export async function runScriptedAgent(options: ScriptedAgentOptions): Promise<void> {
  const { workspace, lockFolder, version, isWindows, signal, onStep } = options;
  const [found] = findLocks(lockFolder, claudeLockReader({ runningInWindows: isWindows }));
  const endpoint = found && websocketEndpoint(found);
  if (endpoint === undefined) throw new Error(`No lock file in ${lockFolder}`);
  const connection = await connectWebSocket(endpoint.url, { headers: endpoint.headers, signal });
  const client = new Client({ name: 'demo-agent', version }, { negotiation: 'initialize', timeout: 0 });
  const session = await client.connect(connection);
  onStep({ kind: 'connected' });
  await session.callTool('openFile', { filePath: join(workspace, PROPOSED_FILE), preview: false }, { signal });
  onStep({ kind: 'proposing' });
  const path = join(workspace, PROPOSED_FILE);
  const change = {
    old_file_path: path,
    new_file_path: path,
    new_file_contents: PROPOSED_TEXT,
    tab_name: 'Greetings with types',
  };
  const { content = [] } = await session.callTool('openDiff', change, { signal });
  const [answer = '', text] = content.map((block) => (block.type === 'text' ? block.text : ''));
  const wrote = answer === 'FILE_SAVED' && text !== undefined;
  if (wrote) writeFileSync(path, text);
  onStep({ kind: 'answered', answer, wrote });
  await session.closed;
}
