import { type Implementation, Server, type ServerSession } from '@hawser/mcp';
import { listenWebSocket } from '@hawser/mcp/websocket';
import type { Access } from '../../access/access.ts';
import { followSelection, SelectionFeed } from '../../access/selection-feed.ts';
import type { AgentAdapter, AgentClient, OpenAdapter } from '../../agent.ts';
import { claudeLockContent, claudeLockName, claudeLockReader } from '../../discovery/claude-lock.ts';
import type { Editor, Selection } from '../../editor.ts';
import { Proposals } from '../../proposals.ts';
import { asOpenAdapter, clientOf, type EndpointOptions, type LockFormat, openEndpoint } from '../endpoint.ts';
import { forwardEvents, ideConnected, selectionChanged, visibleSelection } from './notifications.ts';
import type { ClaudeToolContext, Evaluate } from './tool-context.ts';
import { addDocuments } from './tools/documents.ts';
import { addExecuteCode } from './tools/execute-code.ts';
import { addGetDiagnostics } from './tools/get-diagnostics.ts';
import { addOpenDiff } from './tools/open-diff.ts';
import { addOpenFile } from './tools/open-file.ts';
import { addSelections } from './tools/selections.ts';
import { addTabs } from './tools/tabs.ts';

export interface ClaudeCodeOptions extends Omit<EndpointOptions, 'door' | 'listen' | 'lock' | 'folders'> {
  readonly access: Access;
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
  readonly onClient?: (client: AgentClient) => void;
}

const NAME = 'claude-code';
const AUTHORIZATION = 'x-claude-code-ide-authorization';

/** Claude Code, and those who speak like it: a WebSocket on this machine, found by a lock file. */
export function claudeCodeAdapter(options: ClaudeCodeOptions): AgentAdapter {
  return { name: NAME, open: (editor) => open(editor, options) };
}

async function open(editor: Editor, options: ClaudeCodeOptions): Promise<OpenAdapter> {
  const { access } = options;
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
    server.notifyAll(selectionChanged, visibleSelection(selection, access));
  const selections = new SelectionFeed(tellAll);
  const greet = (session: ServerSession) => {
    if (selections.current !== undefined)
      session.notify(selectionChanged, visibleSelection(selections.current, access));
  };
  addTools(server, { editor, access, proposals, selections, evaluate: options.evaluate, promptTaken: greet });
  server.onNotification(ideConnected, () => {});
  const stopSelections = await followSelection(editor, selections);
  const endpoint = await openEndpoint({
    ...options,
    door: NAME,
    folders: await editor.workspaceFolders(),
    listen: (port, isToken) =>
      listenWebSocket({
        port,
        authorize: ({ headers }) => isToken(headers[AUTHORIZATION]),
        accept: (connection) => server.connect(connection),
      }),
    lock: lockFormat(options),
  }).catch((error: unknown) => {
    stopSelections();
    throw error;
  });
  const stops = [
    stopSelections,
    forwardEvents(editor, server, access),
    editor.subscribe((event) => {
      if (event.kind !== 'workspace') return;
      access.folders = event.folders;
      endpoint.update(event.folders);
    }),
    access.subscribe(() => tellAll(selections.current)),
  ];
  return asOpenAdapter(NAME, server, endpoint, stops);
}

function lockFormat({ lockFolder, pid, ideName, runningInWindows }: ClaudeCodeOptions): LockFormat {
  return {
    folderFor: () => lockFolder,
    nameFor: claudeLockName,
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
