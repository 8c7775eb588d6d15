import type { BridgeServices } from '../../agent.ts';
import { makeAgentServer } from '../adapter-parts/agent-server.ts';
import type { Entrance } from '../adapter-parts/endpoint.ts';
import { listenHttp } from '../adapter-parts/http.ts';
import type { AgentService } from '../adapter-parts/open-adapter.ts';
import type { McpAdapterOptions } from './adapter.ts';
import { offerTools } from './tool.ts';
import { formatFile, listOpenFiles, openFile, saveFile } from './tools/files.ts';
import { findDefinition, findReferences, hover } from './tools/navigation.ts';
import { proposeEdit } from './tools/propose-edit.ts';
import { codeActions, renameSymbol } from './tools/refactorings.ts';
import { getDiagnostics, getSelection } from './tools/selection-and-problems.ts';
import { documentSymbols, workspaceSymbols } from './tools/symbols.ts';

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

export async function serveMcp(
  name: string,
  bridge: BridgeServices,
  { abandonedMs }: McpAdapterOptions,
  entrance: Entrance,
): Promise<AgentService> {
  const { server, service } = makeAgentServer(bridge, { name, capabilities: { tools: { listChanged: true } } });
  const tools = offerTools(server, TOOLS, bridge);
  const listening = await listenHttp(server, entrance, { agent: name, scheme: 'Bearer', idleMs: IDLE_MS, abandonedMs });
  return service(listening, (event) => {
    if (event.kind === 'features') tools.update();
  });
}
