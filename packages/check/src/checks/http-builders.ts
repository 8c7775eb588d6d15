import { type Check, type Finding, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import { initializeParams, NEWEST } from '../params.ts';
import type { Subject } from '../subject.ts';
import { type HttpWire, POST_HEADERS } from '../wires/http.ts';
import type { HttpAnswer, HttpAsk } from '../wires/http-ask.ts';
import type { Row } from './builders.ts';
import { expectThat } from './expectations.ts';

export const httpNeeds = ['http', 'sessions'] as const;

export const initializeBody = (revision = NEWEST) =>
  JSON.stringify({ jsonrpc: '2.0', id: 'open', method: 'initialize', params: initializeParams(revision) });
export const pingBody = JSON.stringify({ jsonrpc: '2.0', id: 'ping', method: 'ping' });

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

/** Earlier revisions do not say with which status a foreign origin is refused. */
export function originRefusals(subject: Subject): readonly number[] {
  return subject.protocolVersion < '2025-11-25' ? [403, 400, 401, 404, 421] : [403];
}

/** A request whose status tells. */
export function status({
  allowed,
  ask,
  ...facts
}: Row<{
  allowed: readonly number[] | ((subject: Subject) => readonly number[]);
  ask: (subject: Subject) => Promise<HttpAsk> | HttpAsk;
}>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const answer = await subject.http(await ask(subject));
      return expectStatus(answer, typeof allowed === 'function' ? allowed(subject) : allowed);
    },
  };
}

/** POSTs a body in a session. */
export function posts({
  body,
  headers,
  ...facts
}: Row<{ allowed: readonly number[]; body: string | Uint8Array; headers?: HttpAsk['headers'] }>) {
  return status({
    ...facts,
    ask: async (subject) => ({ method: 'POST', headers: { ...(await sessionHeaders(subject)), ...headers }, body }),
  });
}

/** POSTs `initialize`, outside of any session. */
export function initializes({
  headers,
  ...facts
}: Row<{ allowed: Parameters<typeof status>[0]['allowed']; headers: HttpAsk['headers'] }>) {
  return status({
    ...facts,
    ask: () => ({ method: 'POST', headers: { ...POST_HEADERS, ...headers }, body: initializeBody() }),
  });
}
