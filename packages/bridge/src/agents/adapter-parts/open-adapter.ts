import type { AgentAdapter, AgentClient, BridgeServices, OpenAdapter } from '../../agent.ts';
import { closeAll } from '../../close-all.ts';
import type { Address } from '../../discovery/address.ts';
import type { EditorEvent } from '../../editor.ts';
import { type Endpoint, type EndpointOptions, openEndpoint } from './endpoint.ts';
import type { Service } from './lazy-listener.ts';

/** An adapter's part that needs an agent. Its code is loaded when the first one connects. */
export interface AgentService extends Service {
  clients(): readonly AgentClient[];
  /** Sends agents what has changed in the editor. */
  editorChanged(event: EditorEvent): void;
}

export interface AdapterOptions extends Omit<EndpointOptions<AgentService>, 'bridge' | 'agent'> {
  readonly name: string;
  /** Without a workspace folder, the lock files stay where they are. */
  readonly needsFolder?: true;
  /** For status output. */
  readonly urlOf: (address: Address) => string;
  /** Environment variables for agents that the editor starts. */
  readonly environment?: (endpoint: Endpoint<AgentService>) => Readonly<Record<string, string>>;
  /** See `OpenAdapter`. */
  readonly takesMentions?: true;
  /** Called when the adapter closes. */
  readonly onClose?: () => void;
}

/** An adapter of agents that connect at one endpoint. */
export function endpointAdapter(
  name: string,
  optionsFor: (bridge: BridgeServices) => Omit<AdapterOptions, 'name'>,
): AgentAdapter {
  return { name, open: async (bridge) => openAdapter(bridge, { ...optionsFor(bridge), name }) };
}

/** Opens one. */
export async function openAdapter(bridge: BridgeServices, options: AdapterOptions): Promise<OpenAdapter> {
  const { name, needsFolder, urlOf, takesMentions, onClose } = options;
  const endpoint = await openEndpoint({ ...options, agent: name, bridge });
  const stop = bridge.editor.subscribe((event) => {
    if (event.kind === 'workspace' && (event.folders.length > 0 || !needsFolder)) endpoint.update(event.folders);
    endpoint.service?.editorChanged(event);
  });
  let closing: Promise<void> | undefined;
  const close = () => closeAll([stop, () => onClose?.(), () => endpoint.close()]);
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
