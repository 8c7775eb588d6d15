import type { Agent, AgentReview } from '../agent.ts';
import type { ClientStatus } from '../control/calls.ts';
import { OTHERS, type ReviewFacts } from '../terminal/facts.ts';
import { AGENTS } from './agents.ts';

/** Whether a client that connected through this adapter is such an agent. */
export function isClientOf(
  { name, isClient = (adapter) => adapter === name }: Agent,
  adapter: string,
  client: string,
): boolean {
  return isClient(adapter, client);
}

/** Whether the edits of such an agent are reviewed now, by what those that are connected did last. */
export function reviewNow(
  review: AgentReview,
  connected: readonly ClientStatus[],
  { isGated }: { readonly isGated: boolean },
): ReviewFacts {
  if (isGated) return { kind: 'yes', sentence: 'Its changes are reviewed here in every mode: its gate is on.' };
  const { toBeAsked, ...atFirst } = review;
  if (toBeAsked === undefined) return atFirst;
  const last = connected.map(({ lastChange }) => lastChange);
  if (last.includes('unasked')) {
    return { kind: 'no', sentence: 'It made its last change without asking: not reviewed.', todo: toBeAsked };
  }
  if (last.includes('proposed')) return { kind: 'yes', sentence: 'Its changes are reviewed here: it asked last time.' };
  return atFirst;
}

/** The same for one that is connected. */
export function reviewOfClient(adapter: string, client: ClientStatus, gates: readonly string[] = []): ReviewFacts {
  const agent = agentOf(adapter, client.name);
  if (agent?.review === undefined) return OTHERS;
  return reviewNow(agent.review, [client], { isGated: gates.includes(agent.name) });
}

/** What the user of an agent does so that it asks next time; undefined if it is not known. */
export function adviceFor(adapter: string, client: string): string | undefined {
  const review = agentOf(adapter, client)?.review;
  return review?.toBeAsked ?? review?.todo;
}

function agentOf(adapter: string, client: string): Agent | undefined {
  return AGENTS.find((agent) => isClientOf(agent, adapter, client));
}
