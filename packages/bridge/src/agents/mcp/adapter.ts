import type { AgentAdapter, BridgeServices, OpenAdapter } from '../../agent.ts';
import {
  mcpEndpointContent,
  mcpEndpointFolder,
  mcpEndpointName,
  readMcpEndpoint,
} from '../../discovery/mcp-endpoint.ts';
import { asOpenAdapter, makeAgentServer } from '../agent-server.ts';
import { type EndpointSettings, type LockFormat, openEndpoint } from '../endpoint.ts';
import { listenHttp } from '../http.ts';
import { offerTools } from './tool.ts';
import { formatFile, listOpenFiles, openFile, saveFile } from './tools/files.ts';
import { findDefinition, findReferences, hover } from './tools/navigation.ts';
import { proposeEdit } from './tools/propose-edit.ts';
import { codeActions, renameSymbol } from './tools/refactorings.ts';
import { getDiagnostics, getSelection } from './tools/selection-and-problems.ts';
import { documentSymbols, workspaceSymbols } from './tools/symbols.ts';

const NAME = 'mcp';

const TOOLS = [
  openFile,
  listOpenFiles,
  getSelection,
  getDiagnostics,
  proposeEdit,
  saveFile,
  formatFile,
  findDefinition,
  findReferences,
  hover,
  documentSymbols,
  workspaceSymbols,
  renameSymbol,
  codeActions,
];

/** Some clients open no stream, and can't begin anew when their session has ended. */
const IDLE_MS = 3_600_000;

export interface McpAdapterOptions extends EndpointSettings {
  /** A client counts as gone this many milliseconds after its stream, or its unanswered request, has closed. Default 2000. */
  readonly abandonedMs?: number;
}

/** Any MCP client: the model itself calls the tools. Streamable HTTP on this machine, with a bearer token. */
export function mcpAdapter(options: McpAdapterOptions): AgentAdapter {
  return { name: NAME, open: (bridge) => open(bridge, options) };
}

async function open(bridge: BridgeServices, options: McpAdapterOptions): Promise<OpenAdapter> {
  const { editor, reviews, identity } = bridge;
  const server = makeAgentServer(bridge, { name: NAME, capabilities: { tools: { listChanged: true } } });
  const tools = offerTools(server, TOOLS, { editor, reviews });
  const endpoint = await openEndpoint({
    ...options,
    agent: NAME,
    bridge,
    listen: (address, isToken) =>
      listenHttp(server, address, {
        agent: NAME,
        scheme: 'Bearer',
        isToken,
        idleMs: IDLE_MS,
        abandonedMs: options.abandonedMs,
      }),
    locks: [endpointFormat(options.stateFolder, identity.pid)],
  });
  const stop = editor.subscribe((event) => {
    if (event.kind === 'features') tools.update();
    if (event.kind === 'workspace') endpoint.update(event.folders);
  });
  return asOpenAdapter({ name: NAME, server, endpoint, environment: {}, stops: [stop] });
}

function endpointFormat(stateFolder: string, pid: number): LockFormat {
  return {
    folderFor: () => mcpEndpointFolder(stateFolder),
    nameFor: ({ port }) => mcpEndpointName(port),
    contentFor: ({ port, token, folders }) =>
      mcpEndpointContent({ url: `http://127.0.0.1:${port}/mcp`, authToken: token, pid, workspaceFolders: folders }),
    read: readMcpEndpoint,
  };
}
