import type { ServerSession } from '@hawser/mcp';
import { objectOrEmpty } from '@hawser/unknown-values/objects';
import type { AgentClient } from '../../agent.ts';

const MAX_LENGTH = 80;

/** What a session has done. */
export interface Activity {
  /** Unique within the bridge. */
  readonly id: string;
  calls: number;
  /** Milliseconds since 1970; 0 before the first message. */
  last: number;
}

/** What is known of a client. What it says of itself is checked here, once, before it reaches a view or a log. */
export function agentClient(session: ServerSession, activity: Activity | undefined): AgentClient {
  const { id, calls, last } = activity ?? { id: 'unknown', calls: 0, last: 0 };
  return {
    id,
    name: clientName(session) ?? 'unknown',
    version: displayText(info(session).version),
    state: session.state,
    calls,
    lastActivity: last === 0 ? undefined : new Date(last),
    disconnect: () => session.close('The user disconnected this agent'),
  };
}

/** The name that the client gave itself; undefined if it is not a usable text. */
export function clientName(client: Pick<ServerSession, 'clientInfo'>): string | undefined {
  return displayText(info(client).name);
}

function info({ clientInfo }: Pick<ServerSession, 'clientInfo'>): {
  readonly name?: unknown;
  readonly version?: unknown;
} {
  return objectOrEmpty(clientInfo);
}

/** One line without control characters; undefined for anything else than a text. */
export function displayText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim();
  if (line === '') return undefined;
  const characters = [...line];
  return characters.length <= MAX_LENGTH ? line : `${characters.slice(0, MAX_LENGTH - 1).join('')}…`;
}
