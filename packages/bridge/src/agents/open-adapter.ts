import type { AgentClient, BridgeServices, OpenAdapter } from '../agent.ts';
import type { Address } from '../discovery/address.ts';
import type { EditorEvent } from '../editor.ts';
import { type Endpoint, type EndpointSettings, type Gate, type LockFormat, openEndpoint } from './endpoint.ts';
import type { Service } from './lazy-listener.ts';

/** An adapter's part that needs an agent. Its code is loaded when the first one connects. */
export interface AgentService extends Service {
  clients(): readonly AgentClient[];
  /** Sends agents what has changed in the editor. */
  editorChanged(event: EditorEvent): void;
}

export interface AdapterOptions extends EndpointSettings {
  readonly name: string;
  /** Listen on a unix socket in this folder, not on a port. */
  readonly socketFolder?: string | undefined;
  readonly locks: readonly LockFormat[];
  /** Without a workspace folder, the lock files stay where they are. */
  readonly needsFolder?: true;
  /** For status output. */
  readonly urlOf: (address: Address) => string;
  /** Environment variables for agents that the editor starts. */
  readonly environment?: (endpoint: Endpoint<AgentService>) => Readonly<Record<string, string>>;
  /** See `OpenAdapter`. */
  readonly takesMentions?: true;
  readonly serve: (gate: Gate) => Promise<AgentService>;
  /** Called when the adapter closes. */
  readonly onClose?: () => void;
}

/** Opens an adapter of agents that connect at one endpoint. */
export async function openAdapter(bridge: BridgeServices, options: AdapterOptions): Promise<OpenAdapter> {
  const { name, needsFolder, urlOf, takesMentions, onClose } = options;
  const endpoint = await openEndpoint({ ...options, agent: name, bridge });
  const stop = bridge.editor.subscribe((event) => {
    if (event.kind === 'workspace' && (event.folders.length > 0 || !needsFolder)) endpoint.update(event.folders);
    endpoint.service?.editorChanged(event);
  });
  let closing: Promise<void> | undefined;
  const close = async () => {
    stop();
    onClose?.();
    await endpoint.close();
  };
  return {
    name,
    endpoints: [urlOf(endpoint)],
    get discoveryFiles() {
      return endpoint.lockPaths;
    },
    environment: options.environment?.(endpoint) ?? {},
    takesMentions,
    clients: () => endpoint.service?.clients() ?? [],
    removeDiscovery: () => endpoint.removeLocks(),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
