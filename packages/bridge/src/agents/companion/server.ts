import type { ServerSession } from '@hawser/mcp';
import type { BridgeServices } from '../../agent.ts';
import { makeAgentServer } from '../adapter-parts/agent-server.ts';
import type { Entrance } from '../adapter-parts/endpoint.ts';
import { listenHttp } from '../adapter-parts/http.ts';
import type { AgentService } from '../adapter-parts/open-adapter.ts';
import type { ContextFeed } from './context-feed.ts';
import { addDiffs, type CompanionToolContext } from './diffs.ts';
import { contextUpdate } from './notifications.ts';
import type { CompanionOptions } from './options.ts';

export interface CompanionServerOptions extends Pick<CompanionOptions, 'abandonedMs'> {
  readonly name: string;
  readonly refusals: CompanionToolContext['refusals'];
  readonly feed: ContextFeed;
}

export async function serveCompanion(
  bridge: BridgeServices,
  { name, refusals, feed, abandonedMs }: CompanionServerOptions,
  entrance: Entrance,
): Promise<AgentService> {
  const { editor, reviews, log } = bridge;
  const greet = (session: ServerSession) => {
    void feed.latest().then((context) => session.notify(contextUpdate, context));
  };
  const { server, service } = makeAgentServer(bridge, { name, capabilities: { tools: {} }, greet });
  addDiffs(server, { editor, reviews, agent: name, log, refusals });
  const listening = await listenHttp(server, entrance, { agent: name, scheme: 'Bearer', abandonedMs });
  feed.hasListeners = () => server.sessions.size > 0;
  feed.onChange = (context) => server.notifyAll(contextUpdate, context);
  return service(listening, () => {});
}
