import { type MessageObserver, Server, type ServerOptions, type ServerSession } from '@hawser/mcp';
import type { AgentClient, BridgeServices } from '../../agent.ts';
import { closeAll } from '../../close-all.ts';
import { type Activity, agentClient, clientName } from './agent-client.ts';
import type { Service } from './lazy-listener.ts';
import type { AgentService } from './open-adapter.ts';

export interface AgentServerOptions {
  /** The adapter's name. */
  readonly name: string;
  readonly capabilities: NonNullable<ServerOptions['capabilities']>;
  /** Called once for each agent that is ready. */
  readonly greet?: ((session: ServerSession) => void) | undefined;
}

export interface AgentServer {
  readonly server: Server;
  /** Its service, when it gets its agents from a listener. */
  service(listening: Service, editorChanged: AgentService['editorChanged']): AgentService;
}

/** The MCP server of one adapter. Each session is an owner of proposals; they are withdrawn when it ends. */
export function makeAgentServer(
  bridge: BridgeServices,
  { name, capabilities, greet }: AgentServerOptions,
): AgentServer {
  const { identity, reviews, log, traffic } = bridge;
  let sessions = 0;
  // Beside the sessions, because they are made by the library.
  const activities = new WeakMap<ServerSession, Activity>();
  const clientOf = (session: ServerSession) => agentClient(session, activities.get(session));
  const observe = (session: ServerSession | undefined): MessageObserver => {
    if (session === undefined) {
      const client = { id: name, name: 'unknown' };
      return {
        received: (message) => traffic.received(name, client, message),
        sent: (message) => traffic.sent(name, client, message),
      };
    }
    sessions += 1;
    const activity: Activity = { id: `${name}-${sessions}`, calls: 0, last: 0 };
    activities.set(session, activity);
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
  const server = new Server(
    { name: identity.name, version: identity.version },
    {
      capabilities,
      observe,
      // A call that is refused is one of these. On stderr it would be in the middle of the terminal view.
      onError: (error, { what }) => log.info('failed', { agent: name, what, message: error.message }),
      onState: (session, state) => {
        if (state === 'ready') greet?.(session);
        if (state === 'closed') reviews?.removeOwner(session, 'the agent disconnected');
        const { name: client, version } = clientOf(session);
        log.info('client', { agent: name, name: client, version, state });
        bridge.clientsChanged();
      },
    },
  );
  return {
    server,
    service: (listening, editorChanged) => ({
      clients: (): AgentClient[] => [...server.sessions].map(clientOf),
      editorChanged,
      close: () => closeAll([() => server.close(), () => listening.close()]),
    }),
  };
}
