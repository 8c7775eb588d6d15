import { defineNotification, type Implementation, Server, type ServerSession } from '@hawser/mcp';
import { listenWebSocket } from '@hawser/mcp/websocket';
import {
  jetbrainsLockContent,
  jetbrainsLockFolder,
  jetbrainsLockName,
  readJetbrainsLock,
} from '../../discovery/jetbrains-lock.ts';
import type { Door, DoorClient, OpenDoor } from '../../door.ts';
import type { Editor, Range, Selection } from '../../editor.ts';
import { asOpenDoor, clientOf, type EntranceOptions, openEntrance } from '../../entrance.ts';
import type { Guard } from '../../guard.ts';
import { Proposals } from '../../proposals.ts';
import { SelectionFeed } from '../../selection-feed.ts';
import type { Workbench } from '../../workbench.ts';
import { addCursor } from './tools/cursor.ts';
import { addDiffs } from './tools/diffs.ts';
import { addFiles } from './tools/files.ts';
import { addGetDiagnostics } from './tools/get-diagnostics.ts';

export interface JetbrainsDoorOptions extends Omit<EntranceOptions, 'door' | 'listen' | 'lock' | 'folders'> {
  readonly guard: Guard;
  readonly identity: Implementation;
  /** Milliseconds between pings; an agent that misses one is dropped. Default 5000. */
  readonly pingInterval?: number;
  readonly onClient?: (client: DoorClient) => void;
}

const NAME = 'jetbrains';
const AUTHORIZATION = 'x-claude-code-ide-authorization';
const selectionChanged = defineNotification<{ file_path: string; range: Range }>('notifications/selection_changed');
const ideConnected = defineNotification<{ project_path: string }>('notifications/ide_connected');

/** The dialect of the JetBrains plugin: its own names for things, and a lock in the project. */
export function jetbrainsDoor(options: JetbrainsDoorOptions): Door {
  return { name: NAME, open: (editor) => open(editor, options) };
}

async function open(editor: Editor, options: JetbrainsDoorOptions): Promise<OpenDoor> {
  const { guard } = options;
  const folders = await editor.workspaceFolders();
  const [project] = folders;
  if (project === undefined) throw new Error('The jetbrains door needs a workspace folder for its lock file');
  const proposals = new Proposals();
  const server: Server = new Server(options.identity, {
    capabilities: {
      logging: {},
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
    },
    onState: (session, state) => {
      if (state === 'ready') greet(session, project);
      if (state === 'closed') proposals.leave(session);
      options.onClient?.(clientOf(session));
    },
  });
  const workbench: Workbench = { editor, guard, proposals };
  addFiles(server, workbench);
  addCursor(server, workbench);
  addGetDiagnostics(server, workbench);
  addDiffs(server, workbench);
  const selections = new SelectionFeed((selection: Selection | undefined) => {
    if (selection === undefined || guard.paused || guard.isDenied(selection.path)) return;
    server.notifyAll(selectionChanged, { file_path: selection.path, range: selection.range });
  });
  const entrance = await openEntrance({
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
      folder: jetbrainsLockFolder(project),
      nameFor: jetbrainsLockName,
      contentFor: ({ port, token }) => jetbrainsLockContent({ port, authToken: token, projectPath: project }),
      read: readJetbrainsLock,
    },
  });
  const stopEvents = editor.subscribe((event) => {
    if (event.kind === 'selection') selections.changed(event.selection);
  });
  return asOpenDoor(NAME, server, entrance, [stopEvents, () => selections.close()]);
}

/** In this dialect the server, too, says that it is ready, and which project it serves. */
function greet(session: ServerSession, project: string): void {
  session.notify('notifications/initialized');
  session.notify(ideConnected, { project_path: project });
}
