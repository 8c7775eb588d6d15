import type { Agent, AgentConnection } from '../agent.ts';
import type { DiscoveryFormat } from '../discovery/format.ts';
import * as all from './all.ts';

/** Every agent, by name. */
export const AGENTS: readonly Agent[] = Object.values(all).toSorted((one, other) => (one.name < other.name ? -1 : 1));

export interface ConnectingAgent extends Agent {
  readonly connection: AgentConnection;
}

/** Those that `--agents` can name. */
export const CONNECTING_AGENTS: readonly ConnectingAgent[] = AGENTS.flatMap(({ connection, ...agent }) =>
  connection === undefined ? [] : { ...agent, connection },
);

/** The one whose address and lock file are those of the bridge. */
export const MAIN_AGENT: string | undefined = CONNECTING_AGENTS.find(({ connection }) => connection.isMain)?.name;

/** The names of those that can connect unless the user chooses others; the main one first. */
export const DEFAULT_AGENTS: readonly string[] = CONNECTING_AGENTS.filter(
  ({ connection }) => connection.opened === 'by default',
)
  .map(({ name }) => name)
  .toSorted((one, other) => Number(other === MAIN_AGENT) - Number(one === MAIN_AGENT));

/** The files by which agents find editors, those with the most tools first. */
export const DISCOVERY_FORMATS: readonly DiscoveryFormat[] = CONNECTING_AGENTS.flatMap(
  ({ connection }) => connection.discovery ?? [],
).toSorted((one, other) => one.rank - other.rank);

/** What users call an agent: its command, or its name if it has none. */
export function calledName({ name, program }: Agent): string {
  return program?.command ?? name;
}

/** The agent that a user means by its command or its name. */
export function agentCalled(name: string): Agent | undefined {
  return AGENTS.find((agent) => calledName(agent) === name) ?? AGENTS.find((agent) => agent.name === name);
}
