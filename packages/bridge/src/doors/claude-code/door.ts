import { type Implementation, Server, type ServerSession } from '@hawser/mcp';
import { listenWebSocket } from '@hawser/mcp/websocket';
import type { Door, DoorClient, OpenDoor } from '../../door.ts';
import type { Editor, Selection } from '../../editor.ts';
import type { Guard } from '../../guard.ts';
import { Proposals } from '../../proposals.ts';
import { SelectionFeed } from '../../selection-feed.ts';
import { forwardEvents, ideConnected, selectionChanged, visibleSelection } from './notifications.ts';
import { addDocuments } from './tools/documents.ts';
import { addExecuteCode } from './tools/execute-code.ts';
import { addGetDiagnostics } from './tools/get-diagnostics.ts';
import { addOpenDiff } from './tools/open-diff.ts';
import { addOpenFile } from './tools/open-file.ts';
import { addSelections } from './tools/selections.ts';
import { addTabs } from './tools/tabs.ts';
import type { ClaudeWorkbench } from './workbench.ts';

export interface ClaudeCodeDoorOptions {
  readonly guard: Guard;
  /** What the server calls itself. */
  readonly identity: Implementation;
  /** Default: any free port. */
  readonly port?: number;
  /** Whether a token is ours. */
  readonly isToken: (token: string) => boolean;
  /** Makes the door known to agents, and takes that back. */
  readonly advertise: (port: number, editor: Editor) => Promise<Advertisement>;
  readonly evaluate?: ClaudeWorkbench['evaluate'];
  /** An agent came, said who it is, or went. */
  readonly onClient?: (client: DoorClient) => void;
}

/** How agents find the door. */
export interface Advertisement {
  readonly path: string;
  /** The workspace has changed. */
  update(folders: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const AUTHORIZATION = 'x-claude-code-ide-authorization';

/** Claude Code, and those who speak like it: a WebSocket on this machine, found by a lock file. */
export function claudeCodeDoor(options: ClaudeCodeDoorOptions): Door {
  return { name: 'claude-code', open: (editor) => open(editor, options) };
}

async function open(editor: Editor, options: ClaudeCodeDoorOptions): Promise<OpenDoor> {
  const { guard, identity, port = 0, isToken } = options;
  const proposals = new Proposals();
  const server: Server = new Server(identity, {
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
  selections.changed(await editor.selection());

  const listener = await listenWebSocket({
    port,
    authorize: ({ headers }) => {
      const token = headers[AUTHORIZATION];
      return typeof token === 'string' && isToken(token);
    },
    accept: (connection) => server.connect(connection),
  });
  const advertisement = await options.advertise(listener.port, editor).catch(async (error: unknown) => {
    await listener.close();
    throw error;
  });
  const stopEvents = forwardEvents(editor, server, guard, (selection) => selections.changed(selection));
  const stopFolders = editor.subscribe((event) => {
    if (event.kind === 'workspace') void advertisement.update(event.folders);
  });
  const stopPause = guard.subscribe(() => tellAll(selections.current));
  let closing: Promise<void> | undefined;
  const close = async () => {
    stopEvents();
    stopFolders();
    stopPause();
    selections.close();
    // First, so that no agent comes while the others go.
    await advertisement.close();
    await server.close();
    await listener.close();
  };
  return {
    name: 'claude-code',
    address: listener.url,
    lockPath: advertisement.path,
    clients: () => [...server.sessions].map(clientOf),
    close: () => {
      closing ??= close();
      return closing;
    },
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

function clientOf({ clientInfo, state }: ServerSession): DoorClient {
  return { name: clientInfo?.name ?? 'unknown', version: clientInfo?.version, state };
}
