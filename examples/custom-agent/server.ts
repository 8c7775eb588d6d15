import type { BridgeServices } from '../../agent.ts';
import { makeAgentServer } from '../agent-server.ts';
import type { Entrance } from '../endpoint.ts';
import { listenHttp } from '../http.ts';
import type { AgentService } from '../open-adapter.ts';

export async function serveScribe(name: string, bridge: BridgeServices, entrance: Entrance): Promise<AgentService> {
  const { server, service } = makeAgentServer(bridge, { name, capabilities: { tools: {} } });
  server.tool(
    {
      name: 'selection',
      description: 'What the user has selected',
      inputSchema: { type: 'object', properties: {} },
    },
    // Paused, or a file that agents may not see: the shared editor has applied the rules already.
    async () => ({ content: [{ type: 'text', text: JSON.stringify(await bridge.editor.selection()) }] }),
  );
  const listening = await listenHttp(server, entrance, { agent: name, scheme: 'Bearer' });
  return service(listening, () => {});
}
