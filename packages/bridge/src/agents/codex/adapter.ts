import { join } from 'node:path';
import type { AgentAdapter, AgentClient, BridgeServices, OpenAdapter } from '../../agent.ts';
import { closeAll, closeNow } from '../../close-all.ts';
import type { FrameLimits } from './frame-connection.ts';
import { ideContext, isForEditor } from './ide-context.ts';
import type { ContextProvider } from './messages.ts';
import type { AskingAgent, RouterEvents } from './router.ts';
import { openSharedSocket, type SharedSocket } from './shared-socket.ts';

export interface CodexOptions {
  /** Where Codex keeps its files: `$CODEX_HOME` or `~/.codex`. */
  readonly codexHome: string;
  /** Older versions of Codex look for the socket there. */
  readonly temporaryFolder: string;
  /** For tests. */
  readonly limits?: FrameLimits | undefined;
}

const NAME = 'codex';

/**
 * Codex asks for the editor's context with each prompt, over a socket that it finds at a fixed path. It has no way to
 * propose changes or to be pointed to a file.
 */
export function codexAdapter(options: CodexOptions): AgentAdapter {
  return { name: NAME, open: (bridge) => open(bridge, options) };
}

async function open(bridge: BridgeServices, options: CodexOptions): Promise<OpenAdapter> {
  const user = process.getuid?.();
  if (user === undefined) throw new Error('Codex can be connected on Linux and macOS only');
  const { editor, log } = bridge;
  const provider: ContextProvider = {
    canAnswer: (request) => isForEditor(request, editor),
    answer: async (request) => ({ type: 'broadcast', ideContext: await ideContext(request, editor) }),
  };
  const events: RouterEvents = {
    changed: () => bridge.clientsChanged(),
    asked: (agent, { requestId: id, method, params }) => bridge.traffic.received(NAME, agent, { id, method, params }),
    answered: (agent, { requestId: id, result, error }) =>
      bridge.traffic.sent(NAME, agent, result === undefined ? { id, error } : { id, result }),
  };
  const openAt = (path: string) => openSharedSocket({ path, provider, log, events, limits: options.limits });
  const [current, older] = await Promise.allSettled([
    openAt(join(options.codexHome, 'ipc', 'ipc.sock')),
    openAt(join(options.temporaryFolder, 'codex-ipc', `ipc-${user}.sock`)),
  ]);
  const sockets: SharedSocket[] = [current, older].flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const closeSockets = () => closeAll(sockets.map((socket) => () => socket.close()));
  if (current.status === 'rejected') {
    await closeSockets().catch(() => {});
    throw current.reason;
  }
  // Only versions from before the first path need it.
  if (older.status === 'rejected') log.info('socket', { agent: NAME, message: (older.reason as Error).message });
  const owned = () => sockets.filter(({ role }) => role === 'owner').map(({ path }) => path);
  return {
    name: NAME,
    get endpoints() {
      return sockets.map(({ path, role }) => `unix:${path}${ROLE_TEXTS[role]}`);
    },
    get discoveryFiles() {
      return owned();
    },
    environment: {},
    clients: () => sockets.flatMap(({ agents }) => agents).map(agentClient),
    removeDiscovery: () => closeNow(sockets.map((socket) => () => socket.stopListening())),
    close: closeSockets,
  };
}

function agentClient({ id, name, requests, lastActivity, disconnect }: AskingAgent): AgentClient {
  return {
    id: `${NAME}-${id.slice(0, 8)}`,
    name,
    version: undefined,
    state: 'ready',
    calls: requests,
    lastActivity,
    disconnect: async () => disconnect(),
  };
}

const ROLE_TEXTS = {
  owner: '',
  member: ' (through another program)',
  outsider: ' (taken by another program)',
} as const;
