import { type Check, type Finding, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import { initializeParams, NEWEST } from '../params.ts';
import type { Subject } from '../subject.ts';
import { type HttpWire, POST_HEADERS } from '../wires/http.ts';
import type { HttpAnswer, HttpAsk } from '../wires/http-ask.ts';
import type { Row } from './builders.ts';
import { expectThat } from './expectations.ts';

export const httpNeeds = ['http', 'sessions'] as const;

/** Sections of the specification. */
export const TRANSPORTS = {
  sending: '2025-11-25 Transports §Sending Messages to the Server',
  listening: '2025-11-25 Transports §Listening for Messages from the Server',
  sessions: '2025-11-25 Transports §Session Management',
  security: '2025-11-25 Transports §Security Warning',
  versionHeader: '2025-11-25 Transports §Protocol Version Header',
  multiple: '2025-11-25 Transports §Multiple Connections',
  resuming: '2025-11-25 Transports §Resumability and Redelivery',
} as const;

/** A foreign web page. */
export const EVIL = 'http://evil.example';

type Headers = NonNullable<HttpAsk['headers']>;

export const pingBody = JSON.stringify({ jsonrpc: '2.0', id: 'ping', method: 'ping' });

export function pingWith(headers: Headers): HttpAsk {
  return { method: 'POST', headers, body: pingBody };
}

/** `initialize`, outside of any session. */
export function initializeWith(headers: Headers): HttpAsk {
  const message = { jsonrpc: '2.0', id: 'open', method: 'initialize', params: initializeParams(NEWEST) };
  return { method: 'POST', headers: { ...POST_HEADERS, ...headers }, body: JSON.stringify(message) };
}

/** A GET or DELETE in a session. */
export function bare(method: string, session: Headers, more: Headers = {}): HttpAsk {
  return { method, headers: { ...session, 'Content-Type': undefined, Accept: 'text/event-stream', ...more } };
}

export function expectStatus({ status, body }: HttpAnswer, allowed: readonly number[], more = ''): Finding | undefined {
  return expectThat(
    allowed.includes(status),
    () => `HTTP ${status}${body === '' ? '' : ` ${shown(body)}`}`,
    `HTTP ${allowed.join(' or ')}${more}`,
  );
}

/** Headers of a session that has just been opened. */
export async function sessionHeaders(subject: Subject): Promise<Record<string, string>> {
  const session = await subject.fresh();
  const { sessionId } = session.wire as HttpWire;
  return {
    ...POST_HEADERS,
    ...(session.revision !== undefined && { 'MCP-Protocol-Version': session.revision }),
    ...(sessionId !== undefined && { 'Mcp-Session-Id': sessionId }),
  };
}

export async function requireSessionId(subject: Subject): Promise<Record<string, string>> {
  const headers = await sessionHeaders(subject);
  if (headers['Mcp-Session-Id'] === undefined) throw new NotApplicable('The server gives no session ids.');
  return headers;
}

export function requireVersionHeader(subject: Subject): void {
  if (subject.protocolVersion < '2025-06-18') throw new NotApplicable('The server serves older revisions only.');
}

/** Earlier revisions do not say with which status a foreign origin is refused. */
export function originRefusals(subject: Subject): readonly number[] {
  return subject.protocolVersion < '2025-11-25' ? [403, 400, 401, 404, 421] : [403];
}

type Ask = (subject: Subject) => Promise<HttpAsk> | HttpAsk;
type Allowed = readonly number[] | ((subject: Subject) => readonly number[]);

/** A request whose status tells. */
export function status({ allowed, ask, ...facts }: Row<{ allowed: Allowed; ask: Ask }>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const answer = await subject.http(await ask(subject));
      return expectStatus(answer, typeof allowed === 'function' ? allowed(subject) : allowed);
    },
  };
}

/** POSTs a body in a session; `ping` if there is none. */
export function posts({
  body = pingBody,
  headers,
  ...facts
}: Row<{ allowed: readonly number[]; body?: string | Uint8Array; headers?: Headers }>) {
  return status({
    ...facts,
    ask: async (subject) => ({ method: 'POST', headers: { ...(await sessionHeaders(subject)), ...headers }, body }),
  });
}

/** POSTs `initialize`, outside of any session. */
export function initializes({ headers, ...facts }: Row<{ allowed: Allowed; headers: Headers }>) {
  return status({ ...facts, ask: () => initializeWith(headers) });
}

/** A request whose response has one of the two types of the transport. */
export function answersWithType({ ask, ...facts }: Row<{ ask: Ask }>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const type = String((await subject.http(await ask(subject))).headers['content-type'] ?? '');
      return expectThat(
        /^(application\/json|text\/event-stream)\b/.test(type),
        `Content-Type: ${type}`,
        'application/json or text/event-stream',
      );
    },
  };
}
