import type { ServerSession } from '@hawser/mcp';
import type { AgentAdapter, BridgeServices, OpenAdapter } from '../../agent.ts';
import { asOpenAdapter, makeAgentServer } from '../agent-server.ts';
import { type Endpoint, type LockFormat, openEndpoint } from '../endpoint.ts';
import { listenHttp } from '../http.ts';
import { ContextFeed } from './context-feed.ts';
import { addDiffs, type CompanionToolContext } from './diffs.ts';
import { contextUpdate } from './notifications.ts';
import type { CompanionOptions } from './options.ts';

/** What differs between the agents of this kind. */
export interface CompanionKind {
  /** The adapter's name. */
  readonly name: string;
  readonly lock: (pid: number) => LockFormat;
  readonly refusals: CompanionToolContext['refusals'];
  /** For agents that the editor starts. */
  readonly environment: (endpoint: Endpoint, folders: () => readonly string[]) => Readonly<Record<string, string>>;
}

/** Gemini CLI and agents that descend from it: Streamable HTTP on a port of this machine, found by a file. */
export function companionAdapter(kind: CompanionKind, options: CompanionOptions): AgentAdapter {
  return { name: kind.name, open: (bridge) => open(bridge, kind, options) };
}

async function open(bridge: BridgeServices, kind: CompanionKind, options: CompanionOptions): Promise<OpenAdapter> {
  const { editor, reviews, identity, log } = bridge;
  const { name, refusals } = kind;
  const feed = await ContextFeed.open(editor, (context) => server.notifyAll(contextUpdate, context));
  const greet = (session: ServerSession) => session.notify(contextUpdate, feed.current);
  const server = makeAgentServer(bridge, { name, capabilities: { tools: {} }, greet });
  addDiffs(server, { editor, reviews, agent: name, log, refusals });
  const endpoint = await openEndpoint({
    ...options,
    agent: name,
    bridge,
    listen: (address, isToken) =>
      listenHttp(server, address, { agent: name, scheme: 'Bearer', isToken, abandonedMs: options.abandonedMs }),
    locks: [kind.lock(identity.pid)],
  });
  const stop = editor.subscribe((event) => {
    if (event.kind === 'workspace') endpoint.update(event.folders);
    if (event.kind === 'selection' || event.kind === 'documents' || event.kind === 'workspace') feed.changed();
  });
  // What changed while the endpoint opened.
  feed.changed();
  const environment = kind.environment(endpoint, () => editor.folders);
  return asOpenAdapter({ name, server, endpoint, environment, stops: [stop, () => feed.close()] });
}
