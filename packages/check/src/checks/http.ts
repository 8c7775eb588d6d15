import { randomUUID } from 'node:crypto';
import { type Check, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import { initializeParams, NEWEST } from '../params.ts';
import type { Subject } from '../subject.ts';
import { type HttpWire, POST_HEADERS } from '../wires/http.ts';
import type { HttpAnswer } from '../wires/http-ask.ts';
import { received } from '../wires/wire.ts';

const SENDING = '2025-11-25 Transports §Sending Messages to the Server';
const LISTENING = '2025-11-25 Transports §Listening for Messages from the Server';
const SESSIONS = '2025-11-25 Transports §Session Management';
const SECURITY = '2025-11-25 Transports §Security Warning';
const VERSION_HEADER = '2025-11-25 Transports §Protocol Version Header';

export const initializeBody = (revision = NEWEST) =>
  JSON.stringify({ jsonrpc: '2.0', id: 'open', method: 'initialize', params: initializeParams(revision) });
export const pingBody = JSON.stringify({ jsonrpc: '2.0', id: 'ping', method: 'ping' });

export function expectStatus(
  { status, body }: HttpAnswer,
  allowed: readonly number[],
  more = '',
): { seen: string; expected: string } | undefined {
  if (allowed.includes(status)) return undefined;
  return {
    seen: `HTTP ${status}${body === '' ? '' : ` ${shown(body)}`}`,
    expected: `HTTP ${allowed.join(' or ')}${more}`,
  };
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

function http(check: Omit<Check, 'needs'>): Check {
  return { ...check, needs: ['http', 'sessions'] };
}

export const httpChecks: readonly Check[] = [
  http({
    id: 'http-origin',
    title: 'A request of a foreign web page is refused',
    severity: 'error',
    spec: SECURITY,
    run: async (subject) => {
      const headers = { ...POST_HEADERS, Origin: 'http://evil.example' };
      const answer = await subject.http({ method: 'POST', headers, body: initializeBody() });
      return expectStatus(answer, originRefusals(subject));
    },
  }),
  http({
    id: 'http-host',
    title: 'A request to a local server under a foreign host name is refused',
    severity: 'warning',
    spec: SECURITY,
    run: async (subject) => {
      const { target } = subject;
      const host = target.kind === 'http' && target.socketPath === undefined ? new URL(target.url).hostname : '';
      if (!/^(localhost|127\..*|\[::1\])$/.test(host)) throw new NotApplicable('The server is not on this machine.');
      const headers = { ...POST_HEADERS, Host: 'evil.example' };
      return expectStatus(
        await subject.http({ method: 'POST', headers, body: initializeBody() }),
        [400, 403, 404, 421],
      );
    },
  }),
  http({
    id: 'http-method',
    title: 'Other methods than POST, GET and DELETE are refused',
    severity: 'info',
    spec: SENDING,
    run: async (subject) =>
      expectStatus(
        await subject.http({ method: 'PUT', headers: POST_HEADERS, body: initializeBody() }),
        [404, 405, 501],
      ),
  }),
  http({
    id: 'http-get',
    title: 'GET opens an event stream or is refused with 405',
    severity: 'error',
    spec: LISTENING,
    run: async (subject) => {
      const headers = { ...(await sessionHeaders(subject)), Accept: 'text/event-stream', 'Content-Type': undefined };
      const answer = await subject.http({ method: 'GET', headers });
      const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
      if (answer.status === 405 || (answer.status === 200 && isStream)) return undefined;
      return {
        seen: `HTTP ${answer.status} ${answer.headers['content-type'] ?? ''}`,
        expected: 'HTTP 200 with text/event-stream, or HTTP 405',
      };
    },
  }),
  http({
    id: 'http-content-type',
    title: 'A POST that is not application/json is refused',
    severity: 'warning',
    spec: SENDING,
    run: async (subject) => {
      const headers = { ...POST_HEADERS, 'Content-Type': 'text/plain' };
      return expectStatus(await subject.http({ method: 'POST', headers, body: initializeBody() }), [400, 406, 415]);
    },
  }),
  http({
    id: 'http-accept',
    title: 'A POST that accepts neither JSON nor event streams is refused',
    severity: 'info',
    spec: SENDING,
    run: async (subject) => {
      const headers = { ...POST_HEADERS, Accept: 'text/html' };
      return expectStatus(await subject.http({ method: 'POST', headers, body: initializeBody() }), [400, 406]);
    },
  }),
  http({
    id: 'http-parse-error',
    title: 'A body that is not JSON is refused with 400',
    severity: 'error',
    spec: SENDING,
    run: async (subject) =>
      expectStatus(
        await subject.http({ method: 'POST', headers: await sessionHeaders(subject), body: '{"jsonrpc":' }),
        [400],
      ),
  }),
  http({
    id: 'http-notification',
    title: 'A notification is accepted with 202 and an empty body',
    severity: 'error',
    spec: SENDING,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const answer = await subject.http({ method: 'POST', headers, body });
      if (answer.status === 202 && answer.body.trim() === '') return undefined;
      return { seen: `HTTP ${answer.status} ${shown(answer.body)}`, expected: 'HTTP 202 without a body' };
    },
  }),
  http({
    id: 'http-answer-type',
    title: 'An answer is application/json or text/event-stream',
    severity: 'error',
    spec: SENDING,
    run: async (subject) => {
      const answer = await subject.http({ method: 'POST', headers: await sessionHeaders(subject), body: pingBody });
      const type = String(answer.headers['content-type'] ?? '');
      if (/^(application\/json|text\/event-stream)\b/.test(type)) return undefined;
      return { seen: `Content-Type: ${type}`, expected: 'application/json or text/event-stream' };
    },
  }),
  http({
    id: 'http-events',
    title: 'An event stream carries one whole message in each event',
    severity: 'error',
    spec: SENDING,
    run: async (subject) => {
      const session = await subject.fresh();
      const { contentType = '' } = session.wire as HttpWire;
      if (!contentType.startsWith('text/event-stream'))
        throw new NotApplicable('The server answers without event streams.');
      const probe = await session.probe(pingBody);
      const garbage = probe.received.find((item) => item.kind === 'garbage');
      return garbage?.kind === 'garbage' && received(garbage.text).kind === 'garbage'
        ? { seen: `data: ${shown(garbage.text)}`, expected: 'a JSON-RPC message in each event' }
        : undefined;
    },
  }),
  http({
    id: 'http-session-id',
    title: 'A session id is visible ASCII',
    severity: 'error',
    spec: SESSIONS,
    run: async (subject) => {
      const id = (await requireSessionId(subject))['Mcp-Session-Id'] ?? '';
      return /^[\x21-\x7e]+$/.test(id) ? undefined : { seen: shown(id), expected: 'characters from 0x21 to 0x7E' };
    },
  }),
  http({
    id: 'http-session-id-unique',
    title: 'Session ids are long, and differ',
    severity: 'warning',
    spec: SESSIONS,
    run: async (subject) => {
      const ids = [await requireSessionId(subject), await requireSessionId(subject)].map(
        (each) => each['Mcp-Session-Id'] ?? '',
      );
      const isRight = ids.every((id) => id.length >= 16) && ids[0] !== ids[1];
      return isRight
        ? undefined
        : { seen: ids.map(shown).join(' and '), expected: 'two ids of 16 characters or more that can not be guessed' };
    },
  }),
  http({
    id: 'http-session-unknown',
    title: 'An unknown session is answered with 404',
    severity: 'error',
    spec: SESSIONS,
    run: async (subject) => {
      const headers = {
        ...(await requireSessionId(subject)),
        'Mcp-Session-Id': randomUUID(),
      };
      return expectStatus(await subject.http({ method: 'POST', headers, body: pingBody }), [404]);
    },
  }),
  http({
    id: 'http-session-missing',
    title: 'A request without the session id is refused with 400',
    severity: 'warning',
    spec: SESSIONS,
    run: async (subject) => {
      const headers = { ...(await requireSessionId(subject)), 'Mcp-Session-Id': undefined };
      return expectStatus(await subject.http({ method: 'POST', headers, body: pingBody }), [400]);
    },
  }),
  http({
    id: 'http-session-delete',
    title: 'DELETE ends a session, or is refused with 405',
    severity: 'error',
    spec: SESSIONS,
    run: async (subject) => {
      const headers = await requireSessionId(subject);
      const deleted = await subject.http({ method: 'DELETE', headers: { ...headers, 'Content-Type': undefined } });
      if (deleted.status === 405) return undefined;
      if (deleted.status < 200 || deleted.status > 299) return expectStatus(deleted, [200, 204, 405]);
      return expectStatus(await subject.http({ method: 'POST', headers, body: pingBody }), [404], ' after DELETE');
    },
  }),
  http({
    id: 'http-version-header',
    title: 'An unsupported MCP-Protocol-Version is refused with 400',
    severity: 'error',
    spec: VERSION_HEADER,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      if ((headers['MCP-Protocol-Version'] ?? '') < '2025-06-18')
        throw new NotApplicable('The server serves older revisions only.');
      const wrong = { ...headers, 'MCP-Protocol-Version': '1999-01-01' };
      return expectStatus(await subject.http({ method: 'POST', headers: wrong, body: pingBody }), [400]);
    },
  }),
  http({
    id: 'http-version-header-missing',
    title: 'A request without MCP-Protocol-Version is answered',
    severity: 'warning',
    spec: VERSION_HEADER,
    run: async (subject) => {
      const headers = { ...(await sessionHeaders(subject)), 'MCP-Protocol-Version': undefined };
      return expectStatus(await subject.http({ method: 'POST', headers, body: pingBody }), [200]);
    },
  }),
];
