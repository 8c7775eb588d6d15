import type { AgentAdapter, BridgeServices, OpenAdapter } from '../../agent.ts';
import type { Endpoint, LockFormat } from '../adapter-parts/endpoint.ts';
import type { Service } from '../adapter-parts/lazy-listener.ts';
import { openAdapter } from '../adapter-parts/open-adapter.ts';
import { ContextFeed } from './context-feed.ts';
import type { CompanionToolContext } from './diffs.ts';
import type { CompanionOptions } from './options.ts';

/** What differs between the agents of this kind. */
export interface CompanionKind {
  /** The adapter's name. */
  readonly name: string;
  readonly lock: (pid: number) => LockFormat;
  readonly refusals: CompanionToolContext['refusals'];
  /** For agents that the editor starts. */
  readonly environment: (
    endpoint: Endpoint<Service>,
    folders: () => readonly string[],
  ) => Readonly<Record<string, string>>;
}

/** Gemini CLI and agents that descend from it: Streamable HTTP on a port of this machine, found by a file. */
export function companionAdapter(kind: CompanionKind, options: CompanionOptions): AgentAdapter {
  return { name: kind.name, open: (bridge) => open(bridge, kind, options) };
}

async function open(bridge: BridgeServices, kind: CompanionKind, options: CompanionOptions): Promise<OpenAdapter> {
  const { editor, identity } = bridge;
  const { name, refusals } = kind;
  const { abandonedMs } = options;
  // From the start: it knows when each file was last active.
  const feed = new ContextFeed(editor);
  const stop = editor.subscribe(({ kind: change }) => {
    if (change === 'selection') feed.selectionChanged();
    else if (change === 'documents' || change === 'workspace') feed.documentsChanged();
  });
  const stopFeed = () => {
    stop();
    feed.close();
  };
  try {
    return await openAdapter(bridge, {
      ...options,
      name,
      locks: [kind.lock(identity.pid)],
      urlOf: ({ port }) => `http://127.0.0.1:${port}/mcp`,
      environment: (endpoint) => kind.environment(endpoint, () => editor.folders),
      serve: async (entrance) =>
        (await import('./server.ts')).serveCompanion(bridge, { name, refusals, feed, abandonedMs }, entrance),
      onClose: stopFeed,
    });
  } catch (error) {
    stopFeed();
    throw error;
  }
}
