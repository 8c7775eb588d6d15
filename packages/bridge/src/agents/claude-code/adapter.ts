import type { Server, ServerSession } from '@hawser/mcp';
import { listenWebSocket } from '@hawser/mcp/websocket';
import type { AgentAdapter, BridgeServices, OpenAdapter } from '../../agent.ts';
import { claudeLockContent, claudeLockName, claudeLockReader } from '../../discovery/claude-lock.ts';
import { asOpenAdapter, makeAgentServer } from '../agent-server.ts';
import { type EndpointSettings, type LockFormat, openEndpoint } from '../endpoint.ts';
import { dialectOf } from './dialect.ts';
import type { Evaluate } from './evaluate.ts';
import { atMentioned, diagnosticsChanged, ideConnected, selectionChanged } from './notifications.ts';
import type { ClaudeToolContext } from './tool-context.ts';
import { addDocuments } from './tools/documents.ts';
import { addExecuteCode } from './tools/execute-code.ts';
import { addGetDiagnostics } from './tools/get-diagnostics.ts';
import { addOpenDiff } from './tools/open-diff.ts';
import { addOpenFile } from './tools/open-file.ts';
import { addSelections } from './tools/selections.ts';
import { addTabs } from './tools/tabs.ts';
import { fileUrl } from './wire.ts';

export interface ClaudeCodeOptions extends EndpointSettings {
  /** What the agent calls the editor. */
  readonly ideName: string;
  /** Where Claude Code looks for lock files. */
  readonly lockFolder: string;
  readonly runningInWindows: boolean;
  /** Runs code for the agent's model; without it there is no `executeCode`. */
  readonly evaluate?: Evaluate | undefined;
  /** How long after an agent is ready it is sent the selection again. */
  readonly selectionAgainMs?: readonly number[];
}

/** Claude Code listens for selections only once its screen knows of the connection, and misses those sent before. */
const SELECTION_AGAIN_MS = [1000, 3000];

const NAME = 'claude-code';
const AUTHORIZATION = 'x-claude-code-ide-authorization';

/** Claude Code and agents that speak like it: a WebSocket on this machine, found by a lock file. */
export function claudeCodeAdapter(options: ClaudeCodeOptions): AgentAdapter {
  return { name: NAME, open: (bridge) => open(bridge, options) };
}

async function open(bridge: BridgeServices, options: ClaudeCodeOptions): Promise<OpenAdapter> {
  const { editor, reviews, identity } = bridge;
  const greet = (session: ServerSession) => {
    const selection = editor.currentSelection;
    const dialect = dialectOf(session);
    if (selection !== undefined || dialect.keepsSelection) {
      session.notify(selectionChanged, dialect.selection(selection));
    }
  };
  const greetAgain = (session: ServerSession) => {
    if (session.state === 'ready' && editor.currentSelection !== undefined) greet(session);
  };
  const welcome = (session: ServerSession) => {
    greet(session);
    for (const ms of options.selectionAgainMs ?? SELECTION_AGAIN_MS) setTimeout(greetAgain, ms, session).unref();
  };
  const server = makeAgentServer(bridge, { name: NAME, capabilities: { tools: {} }, greet: welcome });
  addTools(server, { editor, reviews, evaluate: options.evaluate, promptTaken: greet });
  server.onNotification(ideConnected, () => {});
  const endpoint = await openEndpoint({
    ...options,
    agent: NAME,
    bridge,
    listen: ({ port }, isToken) =>
      listenWebSocket({
        port,
        authorize: ({ headers }) => (isToken(headers[AUTHORIZATION]) ? { id: NAME } : undefined),
        accept: (connection) => server.connect(connection),
      }),
    locks: [lockFormat(options, identity.pid)],
  });
  const stop = editor.subscribe((event) => {
    if (event.kind === 'workspace') endpoint.update(event.folders);
    for (const session of server.sessions) {
      if (session.state !== 'ready') continue;
      if (event.kind === 'selection') session.notify(selectionChanged, dialectOf(session).selection(event.selection));
      if (event.kind === 'mention') session.notify(atMentioned, dialectOf(session).mention(event));
    }
    if (event.kind === 'diagnostics') server.notifyAll(diagnosticsChanged, { uris: event.paths.map(fileUrl) });
  });
  const environment = { CLAUDE_CODE_SSE_PORT: String(endpoint.port), ENABLE_IDE_INTEGRATION: 'true' };
  return asOpenAdapter({ name: NAME, server, endpoint, environment, takesMentions: true, stops: [stop] });
}

function lockFormat({ lockFolder, ideName, runningInWindows }: ClaudeCodeOptions, pid: number): LockFormat {
  return {
    folderFor: () => lockFolder,
    nameFor: ({ port }) => claudeLockName(port),
    contentFor: ({ token, folders }) =>
      claudeLockContent({ pid, workspaceFolders: folders, ideName, authToken: token, runningInWindows }),
    read: claudeLockReader({ runningInWindows }),
  };
}

function addTools(server: Server, context: ClaudeToolContext): void {
  addOpenFile(server, context);
  addOpenDiff(server, context);
  addSelections(server, context);
  addDocuments(server, context);
  addGetDiagnostics(server, context);
  addTabs(server, context);
  addExecuteCode(server, context);
}
