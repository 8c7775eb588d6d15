import type { Server, ServerSession } from '@hawser/mcp';
import { listenWebSocket } from '@hawser/mcp/websocket';
import type { BridgeServices } from '../../agent.ts';
import { makeAgentServer } from '../adapter-parts/agent-server.ts';
import type { Entrance } from '../adapter-parts/endpoint.ts';
import type { AgentService } from '../adapter-parts/open-adapter.ts';
import { AUTHORIZATION } from '../adapter-parts/websocket-endpoint.ts';
import type { ClaudeCodeOptions } from './adapter.ts';
import { dialectOf } from './dialect.ts';
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

/** Claude Code listens for selections only once its screen knows of the connection, and misses those sent before. */
const SELECTION_AGAIN_MS = [1000, 3000];

export async function serveClaudeCode(
  name: string,
  bridge: BridgeServices,
  options: ClaudeCodeOptions,
  { listener, isToken }: Entrance,
): Promise<AgentService> {
  const { editor, reviews } = bridge;
  const greet = (session: ServerSession) => {
    const selection = editor.currentSelection;
    const dialect = dialectOf(session);
    if (selection !== undefined || dialect.keepsSelection) {
      session.notify(selectionChanged, dialect.selection(selection));
    }
  };
  const resendSelection = (session: ServerSession) => {
    if (session.state === 'ready' && editor.currentSelection !== undefined) greet(session);
  };
  const welcome = (session: ServerSession) => {
    greet(session);
    for (const ms of options.selectionAgainMs ?? SELECTION_AGAIN_MS) setTimeout(resendSelection, ms, session).unref();
  };
  const { server, service } = makeAgentServer(bridge, { name, capabilities: { tools: {} }, greet: welcome });
  addTools(server, { editor, reviews, evaluate: options.evaluate, promptTaken: greet });
  server.onNotification(ideConnected, () => {});
  const listening = await listenWebSocket({
    listener,
    authorize: ({ headers }) => (isToken(headers[AUTHORIZATION]) ? { id: name } : undefined),
    accept: (connection) => server.connect(connection),
  });
  return service(listening, (event) => {
    for (const session of server.sessions) {
      if (session.state !== 'ready') continue;
      if (event.kind === 'selection') session.notify(selectionChanged, dialectOf(session).selection(event.selection));
      if (event.kind === 'mention') session.notify(atMentioned, dialectOf(session).mention(event));
    }
    if (event.kind === 'diagnostics') server.notifyAll(diagnosticsChanged, { uris: event.paths.map(fileUrl) });
  });
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
