import type { BridgeServices } from '../../agent.ts';
import { makeAgentServer } from '../adapter-parts/agent-server.ts';
import type { Entrance } from '../adapter-parts/endpoint.ts';
import { listenHttp } from '../adapter-parts/http.ts';
import type { AgentService } from '../adapter-parts/open-adapter.ts';

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
