import { type Implementation, Server, type ServerSession } from '@hawser/mcp';
import { listenWebSocket } from '@hawser/mcp/websocket';
import { claudeLockContent, claudeLockName, claudeLockReader } from '../../discovery/claude-lock.ts';
import type { Door, DoorClient, OpenDoor } from '../../door.ts';
import type { Editor, Selection } from '../../editor.ts';
import { asOpenDoor, clientOf, type EntranceOptions, type LockPlan, openEntrance } from '../../entrance.ts';
import type { Guard } from '../../guard.ts';
import { Proposals } from '../../proposals.ts';
import { followSelection, SelectionFeed } from '../../selection-feed.ts';
import { forwardEvents, ideConnected, selectionChanged, visibleSelection } from './notifications.ts';
import { addDocuments } from './tools/documents.ts';
import { addExecuteCode } from './tools/execute-code.ts';
import { addGetDiagnostics } from './tools/get-diagnostics.ts';
import { addOpenDiff } from './tools/open-diff.ts';
import { addOpenFile } from './tools/open-file.ts';
import { addSelections } from './tools/selections.ts';
import { addTabs } from './tools/tabs.ts';
import type { ClaudeWorkbench, Evaluate } from './workbench.ts';

export interface ClaudeCodeDoorOptions extends Omit<EntranceOptions, 'door' | 'listen' | 'lock' | 'folders'> {
  readonly guard: Guard;
  /** What the server calls itself. */
  readonly identity: Implementation;
  /** What the agent calls the editor. */
  readonly ideName: string;
  /** Where Claude Code looks for locks. */
  readonly lockFolder: string;
  readonly runningInWindows: boolean;
  /** Runs code for the agent's model; without it there is no `executeCode`. */
  readonly evaluate?: Evaluate | undefined;
  /** An agent came, said who it is, or went. */
  readonly onClient?: (client: DoorClient) => void;
}

const NAME = 'claude-code';
const AUTHORIZATION = 'x-claude-code-ide-authorization';

/** Claude Code, and those who speak like it: a WebSocket on this machine, found by a lock file. */
export function claudeCodeDoor(options: ClaudeCodeDoorOptions): Door {
  return { name: NAME, open: (editor) => open(editor, options) };
}

async function open(editor: Editor, options: ClaudeCodeDoorOptions): Promise<OpenDoor> {
  const { guard } = options;
  const proposals = new Proposals();
  const server: Server = new Server(options.identity, {
    capabilities: { tools: {} },
    onState: (session, state) => {
      if (state === 'ready') greet(session);
      if (state === 'closed') proposals.leave(session);
      options.onClient?.(clientOf(session));
    },
  });
  const tellAll = (selection: Selection | undefined) =>
    server.notifyAll(selectionChanged, visibleSelection(selection, guard));
  const selections = new SelectionFeed(tellAll);
  const greet = (session: ServerSession) => {
    if (selections.current !== undefined) session.notify(selectionChanged, visibleSelection(selections.current, guard));
  };
  addTools(server, { editor, guard, proposals, selections, evaluate: options.evaluate, promptTaken: greet });
  server.onNotification(ideConnected, () => {});
  const stopSelections = await followSelection(editor, selections);
  const entrance = await openEntrance({
    ...options,
    door: NAME,
    folders: await editor.workspaceFolders(),
    listen: (port, isToken) =>
      listenWebSocket({
        port,
        authorize: ({ headers }) => (isToken(headers[AUTHORIZATION]) ? { id: 'token' } : undefined),
        accept: (connection) => server.connect(connection),
      }),
    lock: lockPlan(options),
  }).catch((error: unknown) => {
    stopSelections();
    throw error;
  });
  const stops = [
    stopSelections,
    forwardEvents(editor, server, guard),
    editor.subscribe((event) => {
      if (event.kind !== 'workspace') return;
      guard.folders = event.folders;
      entrance.update(event.folders);
    }),
    guard.subscribe(() => tellAll(selections.current)),
  ];
  return asOpenDoor(NAME, server, entrance, stops);
}

function lockPlan({ lockFolder, pid, ideName, runningInWindows }: ClaudeCodeDoorOptions): LockPlan {
  return {
    folderFor: () => lockFolder,
    nameFor: claudeLockName,
    contentFor: ({ token, folders }) =>
      claudeLockContent({ pid, workspaceFolders: folders, ideName, authToken: token, runningInWindows }),
    read: claudeLockReader({ runningInWindows }),
  };
}

function addTools(server: Server, workbench: ClaudeWorkbench): void {
  addOpenFile(server, workbench);
  addOpenDiff(server, workbench);
  addSelections(server, workbench);
  addDocuments(server, workbench);
  addGetDiagnostics(server, workbench);
  addTabs(server, workbench);
  addExecuteCode(server, workbench);
}
