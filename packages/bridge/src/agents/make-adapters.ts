import type { AdapterSettings, AgentAdapter } from '../agent.ts';
import type { AgentPlaces } from '../discovery/format.ts';
import { CONNECTING_AGENTS } from './agents.ts';

/**
 * The adapters of the agents that `--agents` names. The port is for the first one that listens on one: two can't share it.
 * An adapter whose settings are wrong fails when it is opened, and leaves the others.
 */
export function makeAdapters(names: readonly string[], settings: AdapterSettings, places: AgentPlaces): AgentAdapter[] {
  const chosen = names.flatMap((name) => CONNECTING_AGENTS.find((agent) => agent.name === name) ?? []);
  const first = chosen.find(({ connection }) => connection.listensOn === 'port');
  return chosen.map((agent) => {
    const own = { ...settings, port: agent === first ? settings.port : undefined };
    const { name, connection } = agent;
    return { name, open: async (bridge) => (await connection.adapter(own, places)).open(bridge) };
  });
}
