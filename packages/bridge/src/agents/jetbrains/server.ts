import { defineNotification, type ServerSession } from '@hawser/mcp';
import { listenWebSocket } from '@hawser/mcp/websocket';
import type { BridgeServices } from '../../agent.ts';
import type { Range, Selection } from '../../editor.ts';
import { makeAgentServer } from '../adapter-parts/agent-server.ts';
import type { Entrance } from '../adapter-parts/endpoint.ts';
import type { AgentService } from '../adapter-parts/open-adapter.ts';
import { AUTHORIZATION } from '../adapter-parts/websocket-endpoint.ts';
import type { JetbrainsOptions } from './adapter.ts';
import { addCursor } from './tools/cursor.ts';
import { addDiffs } from './tools/diffs.ts';
import { addFiles } from './tools/files.ts';
import { addGetDiagnostics } from './tools/get-diagnostics.ts';

interface WireSelection {
  readonly file_path: string;
  readonly range: Range;
}

const selectionChanged = defineNotification<WireSelection>('notifications/selection_changed');
const initialized = defineNotification<object>('notifications/initialized');
const ideConnected = defineNotification<{ project_path: string }>('notifications/ide_connected');

export async function serveJetbrains(
  name: string,
  bridge: BridgeServices,
  { pingInterval = 5000 }: JetbrainsOptions,
  { listener, isToken }: Entrance,
): Promise<AgentService> {
  const { editor } = bridge;
  let [project = ''] = editor.folders;
  /** In this dialect the server, too, says that it is ready, and which project it serves. */
  const greet = (session: ServerSession) => {
    session.notify(initialized, {});
    session.notify(ideConnected, { project_path: project });
    const selection = editor.currentSelection;
    if (selection !== undefined) session.notify(selectionChanged, wireSelection(selection));
  };
  const { server, service } = makeAgentServer(bridge, {
    name,
    capabilities: {
      logging: {},
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
    },
    greet,
  });
  addFiles(server, bridge);
  addCursor(server, bridge);
  addGetDiagnostics(server, bridge);
  addDiffs(server, bridge);
  const listening = await listenWebSocket({
    listener,
    path: '/mcp',
    pingInterval,
    refusal: 'close',
    authorize: ({ headers }) => (isToken(headers[AUTHORIZATION]) ? { id: name } : undefined),
    accept: (connection) => server.connect(connection),
  });
  return service(listening, (event) => {
    // This dialect can't say that there is no selection.
    if (event.kind === 'selection' && event.selection !== undefined) {
      server.notifyAll(selectionChanged, wireSelection(event.selection));
    }
    if (event.kind !== 'workspace' || event.folders[0] === undefined || event.folders[0] === project) return;
    project = event.folders[0];
    server.notifyAll(ideConnected, { project_path: project });
  });
}

function wireSelection({ path, range }: Selection): WireSelection {
  return { file_path: path, range };
}
