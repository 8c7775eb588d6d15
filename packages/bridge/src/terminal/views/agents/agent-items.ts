import type { AgentStatus, ClientStatus, Status } from '../../../control/calls.ts';
import type { AgentFacts } from '../../facts.ts';
import { DIM, padded } from '../../fit-row.ts';
import type { Span } from '../../paint.ts';

/** What the user does to connect one kind of agent. */
export interface ConnectGuide {
  /** As `hawser connect` takes it; the facts of the agent, if there are any, have the same name. */
  readonly name: string;
  /** The agent, for display. */
  readonly title: string;
  /** A sentence each. */
  readonly steps: readonly string[];
  /** To copy: a command, or lines of a configuration. */
  readonly text: string;
}

/** A row of the list. */
export type Item =
  | {
      readonly kind: 'client';
      readonly adapter: AgentStatus;
      readonly client: ClientStatus;
      readonly facts?: AgentFacts;
    }
  /** One that is not connected. */
  | { readonly kind: 'agent'; readonly guide: ConnectGuide; readonly facts?: AgentFacts };

/** Connected agents first, then those that could be, the installed ones before the others. */
export function itemsOf(
  { agents }: Status,
  facts: readonly AgentFacts[],
  guides: readonly ConnectGuide[],
): readonly Item[] {
  const clients = agents.flatMap((adapter) =>
    adapter.clients.map((client): Item & { kind: 'client' } => {
      const own = facts.find(({ connected }) => connected.some(({ id }) => id === client.id));
      return { kind: 'client', adapter, client, ...(own && { facts: own }) };
    }),
  );
  const isConnected = ({ name, title }: ConnectGuide) =>
    clients.some((item) => {
      // Editors that use hawser mcp are known by what they call themselves.
      const called = item.client.name.toLowerCase();
      return item.facts === undefined ? [name, title.toLowerCase()].includes(called) : item.facts.name === name;
    });
  const others = guides
    .filter((guide) => !isConnected(guide))
    .map((guide): Item & { kind: 'agent' } => {
      const own = facts.find(({ name }) => name === guide.name);
      return { kind: 'agent', guide, ...(own && { facts: own }) };
    });
  const rank = ({ facts: own }: Item) => (own === undefined ? 2 : own.installed ? 0 : 1);
  return [...clients, ...others.sort((one, other) => rank(one) - rank(other))];
}

export function itemSpan(item: Item): Span {
  const isHere = item.kind === 'client' || item.facts?.installed === true;
  return { text: itemText(item), ...(!isHere && { style: DIM }) };
}

function itemText(item: Item): string {
  const reviewed = item.facts?.review.kind ?? '';
  if (item.kind === 'agent') {
    const { facts, guide } = item;
    const state = facts === undefined ? '' : facts.installed ? 'installed' : 'not installed';
    const start = facts?.installed === true ? facts.command : `hawser connect ${guide.name}`;
    return `${tableRow(guide.title, state, reviewed)}  ${start}`;
  }
  const { name, version, state, calls, lastActivity } = item.client;
  const full = version === undefined ? name : `${name} ${version}`;
  const words = state === 'ready' ? 'connected' : state;
  return `${tableRow(full, words, reviewed)}  ${activity(String(calls), agoOf(lastActivity, Date.now()))}`;
}

export function isSame(one: Item, other: Item): boolean {
  if (one.kind === 'client' && other.kind === 'client') return one.client.id === other.client.id;
  return one.kind === 'agent' && other.kind === 'agent' && one.guide.name === other.guide.name;
}

function tableRow(agent: string, state: string, reviewed: string): string {
  return [padded(agent, 26), padded(state, 13), padded(reviewed, 8)].join(' ');
}

function activity(calls: string, last: string): string {
  return [calls.padStart(5), last.padStart(12)].join(' ');
}

export const HEADINGS = `${tableRow('AGENT', 'STATE', 'REVIEWED')}  ${activity('CALLS', 'LAST ACTIVE')}`;

/** `12 s ago` */
export function agoOf(time: string | undefined, now: number): string {
  if (time === undefined) return 'never';
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return `${Math.floor(seconds / 3600)} h ago`;
}
