import { DEFAULT_CONNECTION_LIMITS, ErrorCode, type Server } from '@hawser/mcp';
import { memoryStore, serveHttp } from '@hawser/mcp/http';
import type { Entrance, HttpAgentSettings } from './endpoint.ts';
import type { Service } from './lazy-listener.ts';

export interface AgentHttpOptions extends HttpAgentSettings {
  /** The adapter's name. */
  readonly agent: string;
  /** The word before the token in the `Authorization` header. */
  readonly scheme: 'Bearer' | 'Nonce';
  /** The same for an agent that never had a stream and sends nothing. Default 60 000. */
  readonly idleMs?: number | undefined;
}

const MIB = 1024 * 1024;
const LIMITS = {
  maxConnections: 512,
  /** Agents send their token with the first request, at once. */
  maxUnauthenticated: 64,
  /** In memory. Beyond it unused ones are left to the store. */
  maxSessions: 128,
  /** Large enough for a proposal of the largest size that comes back accepted. */
  maxQueuedBytes: DEFAULT_CONNECTION_LIMITS.maxQueuedBytes,
};
/**
 * The store drops the least recently used session, even one with an open stream, so it must hold more than a client can
 * open between two sweeps, which mark the sessions in use.
 */
const MAX_STORED_SESSIONS = 2048;
/** An agent that starts on a busy machine opens its stream late. */
const IDLE_MS = 60_000;
/** Agents that lose their stream open a new one after a second. */
const ABANDONED_MS = 2000;

/** Serves one adapter's agents over Streamable HTTP at `/mcp`. The session of an agent that exits ends soon after. */
export function listenHttp(
  server: Server,
  { listener, isToken }: Entrance,
  options: AgentHttpOptions,
): Promise<Service> {
  const { agent, scheme, abandonedMs = ABANDONED_MS, idleMs = IDLE_MS } = options;
  const refusal = {
    status: 401,
    wwwAuthenticate: scheme,
    message: 'Unauthorized: the token is missing or wrong',
  } as const;
  return serveHttp(withSessionsOnly(server), {
    ...LIMITS,
    listener,
    abandonedMs,
    // An agent that has gone can't be answered, and its proposals must not wait for the user.
    cancelAfterMs: abandonedMs,
    idleMs,
    store: memoryStore({ maxSessions: MAX_STORED_SESSIONS, maxEventBytes: 64 * MIB }),
    authorize: ({ headers }) => (isToken(tokenIn(headers.authorization, scheme)) ? { id: agent } : refusal),
  });
}

function tokenIn(authorization: unknown, scheme: string): string | undefined {
  const start = `${scheme} `.toLowerCase();
  if (typeof authorization !== 'string' || authorization.slice(0, start.length).toLowerCase() !== start)
    return undefined;
  return authorization.slice(start.length).trim();
}

/**
 * Answers stateless requests as a server that knows sessions alone, so that agents fall back to `initialize`. Without a
 * session a proposal has no owner, and there is no stream for selections.
 */
function withSessionsOnly(server: Server): Parameters<typeof serveHttp>[0] {
  return {
    connect: (connection, persistence) => server.connect(connection, persistence),
    respond: ({ id, method }, exchange) => {
      const message = `Method not found: ${method}. This server needs a session; send initialize first`;
      exchange.respond({ jsonrpc: '2.0', id, error: { code: ErrorCode.MethodNotFound, message } });
      return { abort: () => {} };
    },
    reportError: (error) => server.reportError(error),
  };
}
