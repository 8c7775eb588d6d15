import { type MessageObserver, Server, type ServerOptions, type ServerSession } from '@hawser/mcp';
import type { AgentClient, BridgeServices } from '../agent.ts';
import { agentClient, clientName, trackActivity } from './agent-client.ts';
import type { Service } from './lazy-listener.ts';
import type { AgentService } from './open-adapter.ts';

export interface AgentServerOptions {
  /** The adapter's name. */
  readonly name: string;
  readonly capabilities: NonNullable<ServerOptions['capabilities']>;
  /** Called once for each agent that is ready. */
  readonly greet?: ((session: ServerSession) => void) | undefined;
}

/** The MCP server of one adapter. Each session is an owner of proposals; they are withdrawn when it ends. */
export function makeAgentServer(bridge: BridgeServices, { name, capabilities, greet }: AgentServerOptions): Server {
  const { identity, reviews, log, traffic } = bridge;
  let sessions = 0;
  const observe = (session: ServerSession | undefined): MessageObserver => {
    if (session === undefined) {
      const client = { id: name, name: 'unknown' };
      return {
        received: (message) => traffic.received(name, client, message),
        sent: (message) => traffic.sent(name, client, message),
      };
    }
    sessions += 1;
    const activity = trackActivity(session, `${name}-${sessions}`);
    const client = {
      id: activity.id,
      get name() {
        return clientName(session) ?? 'unknown';
      },
    };
    return {
      received: (message) => {
        activity.last = Date.now();
        if (message.method === 'tools/call') activity.calls += 1;
        traffic.received(name, client, message);
      },
      sent: (message) => traffic.sent(name, client, message),
    };
  };
  return new Server(
    { name: identity.name, version: identity.version },
    {
      capabilities,
      observe,
      // A call that is refused is one of these. On stderr it would be in the middle of the terminal view.
      onError: (error, { what }) => log.info('failed', { agent: name, what, message: error.message }),
      onState: (session, state) => {
        if (state === 'ready') greet?.(session);
        if (state === 'closed') reviews?.removeOwner(session, 'the agent disconnected');
        const { name: client, version } = agentClient(session);
        log.info('client', { agent: name, name: client, version, state });
        bridge.clientsChanged();
      },
    },
  );
}

/** The service of an MCP server that gets its agents from one listener. */
export function agentService(
  server: Server,
  listening: Service,
  editorChanged: AgentService['editorChanged'],
): AgentService {
  return {
    clients: (): AgentClient[] => [...server.sessions].map(agentClient),
    editorChanged,
    close: async () => {
      await server.close();
      await listening.close();
    },
  };
}
