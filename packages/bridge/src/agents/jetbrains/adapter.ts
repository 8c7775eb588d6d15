import { defineNotification, type Implementation, Server, type ServerSession } from '@hawser/mcp';
import { listenWebSocket } from '@hawser/mcp/websocket';
import type { Access } from '../../access/access.ts';
import { followSelection, SelectionFeed } from '../../access/selection-feed.ts';
import type { AgentAdapter, AgentClient, OpenAdapter } from '../../agent.ts';
import {
  jetbrainsLockContent,
  jetbrainsLockFolder,
  jetbrainsLockName,
  readJetbrainsLock,
} from '../../discovery/jetbrains-lock.ts';
import type { Editor, Range, Selection } from '../../editor.ts';
import { Proposals } from '../../proposals.ts';
import { asOpenAdapter, clientOf, type EndpointOptions, openEndpoint } from '../endpoint.ts';
import type { ToolContext } from '../tool-context.ts';
import { addCursor } from './tools/cursor.ts';
import { addDiffs } from './tools/diffs.ts';
import { addFiles } from './tools/files.ts';
import { addGetDiagnostics } from './tools/get-diagnostics.ts';

export interface JetbrainsOptions extends Omit<EndpointOptions, 'door' | 'listen' | 'lock' | 'folders'> {
  readonly access: Access;
  readonly identity: Implementation;
  /** Milliseconds between pings; an agent that misses one is dropped. Default 5000. */
  readonly pingInterval?: number;
  readonly onClient?: (client: AgentClient) => void;
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

/** The dialect of the JetBrains plugin: its own names for things, and a lock in the project. */
export function jetbrainsAdapter(options: JetbrainsOptions): AgentAdapter {
  return { name: NAME, open: (editor) => open(editor, options) };
}

async function open(editor: Editor, options: JetbrainsOptions): Promise<OpenAdapter> {
  const { access } = options;
  const folders = await editor.workspaceFolders();
  let project = projectOf(folders);
  const proposals = new Proposals();
  const server: Server = new Server(options.identity, {
    capabilities: {
      logging: {},
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
    },
    onState: (session, state) => {
      if (state === 'ready') greet(session);
      if (state === 'closed') proposals.leave(session);
      options.onClient?.(clientOf(session));
    },
  });
  const context: ToolContext = { editor, access, proposals };
  addFiles(server, context);
  addCursor(server, context);
  addGetDiagnostics(server, context);
  addDiffs(server, context);
  const tell = (selection: Selection | undefined, to: (params: WireSelection) => void) => {
    // This dialect has no word for no selection.
    if (selection === undefined || access.paused || access.isDenied(selection.path)) return;
    to({ file_path: selection.path, range: selection.range });
  };
  const tellAll = (selection: Selection | undefined) =>
    tell(selection, (params) => server.notifyAll(selectionChanged, params));
  const selections = new SelectionFeed(tellAll);
  /** In this dialect the server, too, says that it is ready, and which project it serves. */
  const greet = (session: ServerSession) => {
    session.notify(initialized, {});
    session.notify(ideConnected, { project_path: project });
    tell(selections.current, (params) => session.notify(selectionChanged, params));
  };
  const stopSelections = await followSelection(editor, selections);
  const endpoint = await openEndpoint({
    ...options,
    door: NAME,
    folders,
    listen: (port, isToken) =>
      listenWebSocket({
        port,
        path: '/mcp',
        pingInterval: options.pingInterval ?? 5000,
        refusal: 'close',
        authorize: ({ headers }) => isToken(headers[AUTHORIZATION]),
        accept: (connection) => server.connect(connection),
      }),
    lock: {
      folderFor: (all) => jetbrainsLockFolder(projectOf(all)),
      nameFor: jetbrainsLockName,
      contentFor: ({ port, token, folders: all }) =>
        jetbrainsLockContent({ port, authToken: token, projectPath: projectOf(all) }),
      read: readJetbrainsLock,
      // It is there for locks alone, and a life of ours that ended badly may have made it.
      emptyFolder: 'removed',
    },
  }).catch((error: unknown) => {
    stopSelections();
    throw error;
  });
  const stops = [
    stopSelections,
    editor.subscribe((event) => {
      // Without a folder there is nowhere else to go.
      if (event.kind !== 'workspace' || event.folders[0] === undefined) return;
      access.folders = event.folders;
      endpoint.update(event.folders);
      if (event.folders[0] === project) return;
      project = projectOf(event.folders);
      server.notifyAll(ideConnected, { project_path: project });
    }),
    access.subscribe(() => tellAll(selections.current)),
  ];
  return asOpenAdapter(NAME, server, endpoint, stops);
}

function projectOf([project]: readonly string[]): string {
  if (project === undefined) throw new Error('The jetbrains door needs a workspace folder for its lock file');
  return project;
}
