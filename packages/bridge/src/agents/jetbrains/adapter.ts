import { defineNotification, type ServerSession } from '@hawser/mcp';
import { listenWebSocket } from '@hawser/mcp/websocket';
import type { AgentAdapter, BridgeServices, OpenAdapter } from '../../agent.ts';
import {
  jetbrainsLockContent,
  jetbrainsLockFolder,
  jetbrainsLockName,
  readJetbrainsLock,
} from '../../discovery/jetbrains-lock.ts';
import type { Range, Selection } from '../../editor.ts';
import { asOpenAdapter, makeAgentServer } from '../agent-server.ts';
import { type EndpointSettings, type LockFormat, openEndpoint } from '../endpoint.ts';
import { addCursor } from './tools/cursor.ts';
import { addDiffs } from './tools/diffs.ts';
import { addFiles } from './tools/files.ts';
import { addGetDiagnostics } from './tools/get-diagnostics.ts';

export interface JetbrainsOptions extends EndpointSettings {
  /** Milliseconds between pings; an agent that misses one is dropped. Default 5000. */
  readonly pingInterval?: number;
}

const NAME = 'jetbrains';
const AUTHORIZATION = 'x-claude-code-ide-authorization';

interface WireSelection {
  readonly file_path: string;
  readonly range: Range;
}

const selectionChanged = defineNotification<WireSelection>('notifications/selection_changed');
const initialized = defineNotification<object>('notifications/initialized');
const ideConnected = defineNotification<{ project_path: string }>('notifications/ide_connected');

/** The dialect of the JetBrains plugin: its own names for things, and a lock file in the project. */
export function jetbrainsAdapter(options: JetbrainsOptions): AgentAdapter {
  return { name: NAME, open: (bridge) => open(bridge, options) };
}

async function open(bridge: BridgeServices, options: JetbrainsOptions): Promise<OpenAdapter> {
  const { editor, reviews } = bridge;
  let project = projectOf(editor.folders);
  /** In this dialect the server, too, says that it is ready, and which project it serves. */
  const greet = (session: ServerSession) => {
    session.notify(initialized, {});
    session.notify(ideConnected, { project_path: project });
    const selection = editor.currentSelection;
    if (selection !== undefined) session.notify(selectionChanged, wireSelection(selection));
  };
  const server = makeAgentServer(bridge, {
    name: NAME,
    capabilities: {
      logging: {},
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
    },
    greet,
  });
  const context = { editor, reviews };
  addFiles(server, context);
  addCursor(server, context);
  addGetDiagnostics(server, context);
  addDiffs(server, context);
  const endpoint = await openEndpoint({
    ...options,
    agent: NAME,
    bridge,
    listen: ({ port }, isToken) =>
      listenWebSocket({
        port,
        path: '/mcp',
        pingInterval: options.pingInterval ?? 5000,
        refusal: 'close',
        authorize: ({ headers }) => (isToken(headers[AUTHORIZATION]) ? { id: NAME } : undefined),
        accept: (connection) => server.connect(connection),
      }),
    locks: [LOCK],
  });
  const stop = editor.subscribe((event) => {
    // This dialect can't say that there is no selection.
    if (event.kind === 'selection' && event.selection !== undefined) {
      server.notifyAll(selectionChanged, wireSelection(event.selection));
    }
    // Without a folder the lock file stays where it is.
    if (event.kind !== 'workspace' || event.folders[0] === undefined) return;
    endpoint.update(event.folders);
    if (event.folders[0] === project) return;
    project = projectOf(event.folders);
    server.notifyAll(ideConnected, { project_path: project });
  });
  return asOpenAdapter({ name: NAME, server, endpoint, environment: {}, stops: [stop] });
}

const LOCK: LockFormat = {
  folderFor: (folders) => jetbrainsLockFolder(projectOf(folders)),
  nameFor: ({ port }) => jetbrainsLockName(port),
  contentFor: ({ port, token, folders }) =>
    jetbrainsLockContent({ port, authToken: token, projectPath: projectOf(folders) }),
  read: readJetbrainsLock,
  // The folder is only for lock files, and a bridge that crashed may have made it.
  emptyFolder: 'removed',
};

function wireSelection({ path, range }: Selection): WireSelection {
  return { file_path: path, range };
}

function projectOf([project]: readonly string[]): string {
  if (project === undefined) throw new Error('The jetbrains adapter needs a workspace folder for its lock file');
  return project;
}
