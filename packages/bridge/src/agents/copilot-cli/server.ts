import type { ServerSession } from '@hawser/mcp';
import type { BridgeServices } from '../../agent.ts';
import { makeAgentServer } from '../adapter-parts/agent-server.ts';
import type { Entrance } from '../adapter-parts/endpoint.ts';
import { listenHttp } from '../adapter-parts/http.ts';
import type { AgentService } from '../adapter-parts/open-adapter.ts';
import type { CopilotCliOptions } from './adapter.ts';
import { addContext } from './tools/context.ts';
import { addDiffs } from './tools/diffs.ts';
import { addFileReference, addSelection, NO_SELECTION, selectionChanged, wireMention, wireSelection } from './wire.ts';

export async function serveCopilotCli(
  name: string,
  bridge: BridgeServices,
  { abandonedMs }: Pick<CopilotCliOptions, 'abandonedMs'>,
  entrance: Entrance,
): Promise<AgentService> {
  const { editor } = bridge;
  const greet = (session: ServerSession) => {
    const selection = editor.currentSelection;
    if (selection !== undefined) session.notify(selectionChanged, wireSelection(selection));
  };
  const { server, service } = makeAgentServer(bridge, { name, capabilities: { tools: {} }, greet });
  addDiffs(server, bridge);
  addContext(server, bridge);
  const listening = await listenHttp(server, entrance, { agent: name, scheme: 'Nonce', abandonedMs });
  return service(listening, (event) => {
    if (event.kind === 'selection') {
      server.notifyAll(selectionChanged, event.selection === undefined ? NO_SELECTION : wireSelection(event.selection));
    }
    if (event.kind === 'mention') {
      const { path, lines } = event;
      server.notifyAll(lines === undefined ? addFileReference : addSelection, wireMention(path, lines));
    }
  });
}
