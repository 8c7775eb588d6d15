import { randomUUID } from 'node:crypto';
import { NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import type { HttpWire } from '../wires/http.ts';
import { received } from '../wires/wire.ts';
import { needing } from './builders.ts';
import { expectThat } from './expectations.ts';
import {
  answersWithType,
  bare,
  EVIL,
  expectStatus,
  httpNeeds,
  initializes,
  initializeWith,
  originRefusals,
  pingBody,
  pingWith,
  posts,
  requireSessionId,
  requireVersionHeader,
  sessionHeaders,
  status,
  TRANSPORTS,
} from './http-builders.ts';

export const httpChecks = needing(httpNeeds, [
  initializes({
    id: 'http-origin',
    title: 'A request of a foreign web page is refused',
    severity: 'error',
    spec: TRANSPORTS.security,
    allowed: originRefusals,
    headers: { Origin: EVIL },
  }),
  {
    id: 'http-host',
    title: 'A request to a local server under a foreign host name is refused',
    severity: 'warning',
    spec: TRANSPORTS.security,
    run: async (subject) => {
      const { target } = subject;
      const host = target.kind === 'http' && target.socketPath === undefined ? new URL(target.url).hostname : '';
      if (!/^(localhost|127\..*|\[::1\])$/.test(host)) throw new NotApplicable('The server is not on this machine.');
      return expectStatus(await subject.http(initializeWith({ Host: 'evil.example' })), [400, 403, 404, 421]);
    },
  },
  status({
    id: 'http-method',
    title: 'Other methods than POST, GET and DELETE are refused',
    severity: 'info',
    spec: TRANSPORTS.sending,
    allowed: [404, 405, 501],
    ask: () => ({ ...initializeWith({}), method: 'PUT' }),
  }),
  {
    id: 'http-get',
    title: 'GET opens an event stream or is refused with 405',
    severity: 'error',
    spec: TRANSPORTS.listening,
    run: async (subject) => {
      const answer = await subject.http(bare('GET', await sessionHeaders(subject)));
      const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
      return expectThat(
        answer.status === 405 || (answer.status === 200 && isStream),
        `HTTP ${answer.status} ${answer.headers['content-type'] ?? ''}`,
        'HTTP 200 with text/event-stream, or HTTP 405',
      );
    },
  },
  initializes({
    id: 'http-content-type',
    title: 'A POST that is not application/json is refused',
    severity: 'warning',
    spec: TRANSPORTS.sending,
    allowed: [400, 406, 415],
    headers: { 'Content-Type': 'text/plain' },
  }),
  initializes({
    id: 'http-accept',
    title: 'A POST that accepts neither JSON nor event streams is refused',
    severity: 'info',
    spec: TRANSPORTS.sending,
    allowed: [400, 406],
    headers: { Accept: 'text/html' },
  }),
  posts({
    id: 'http-parse-error',
    title: 'A body that is not JSON is refused with 400',
    severity: 'error',
    spec: TRANSPORTS.sending,
    allowed: [400],
    body: '{"jsonrpc":',
  }),
  {
    id: 'http-notification',
    title: 'A notification is accepted with 202 and an empty body',
    severity: 'error',
    spec: TRANSPORTS.sending,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const answer = await subject.http({ method: 'POST', headers, body });
      return expectThat(
        answer.status === 202 && answer.body.trim() === '',
        () => `HTTP ${answer.status} ${shown(answer.body)}`,
        'HTTP 202 without a body',
      );
    },
  },
  answersWithType({
    id: 'http-answer-type',
    title: 'An answer is application/json or text/event-stream',
    severity: 'error',
    spec: TRANSPORTS.sending,
    ask: async (subject) => pingWith(await sessionHeaders(subject)),
  }),
  {
    id: 'http-events',
    title: 'An event stream carries one whole message in each event',
    severity: 'error',
    spec: TRANSPORTS.sending,
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
  },
  {
    id: 'http-session-id',
    title: 'A session id is visible ASCII',
    severity: 'error',
    spec: TRANSPORTS.sessions,
    run: async (subject) => {
      const id = (await requireSessionId(subject))['Mcp-Session-Id'] ?? '';
      return expectThat(/^[\x21-\x7e]+$/.test(id), () => shown(id), 'characters from 0x21 to 0x7E');
    },
  },
  {
    id: 'http-session-id-unique',
    title: 'Session ids are long, and differ',
    severity: 'warning',
    spec: TRANSPORTS.sessions,
    run: async (subject) => {
      const ids = [await requireSessionId(subject), await requireSessionId(subject)].map(
        (each) => each['Mcp-Session-Id'] ?? '',
      );
      const isRight = ids.every((id) => id.length >= 16) && ids[0] !== ids[1];
      return expectThat(
        isRight,
        ids.map(shown).join(' and '),
        'two ids of 16 characters or more that can not be guessed',
      );
    },
  },
  status({
    id: 'http-session-unknown',
    title: 'An unknown session is answered with 404',
    severity: 'error',
    spec: TRANSPORTS.sessions,
    allowed: [404],
    ask: async (subject) => pingWith({ ...(await requireSessionId(subject)), 'Mcp-Session-Id': randomUUID() }),
  }),
  status({
    id: 'http-session-missing',
    title: 'A request without the session id is refused with 400',
    severity: 'warning',
    spec: TRANSPORTS.sessions,
    allowed: [400],
    ask: async (subject) => pingWith({ ...(await requireSessionId(subject)), 'Mcp-Session-Id': undefined }),
  }),
  {
    id: 'http-session-delete',
    title: 'DELETE ends a session, or is refused with 405',
    severity: 'error',
    spec: TRANSPORTS.sessions,
    run: async (subject) => {
      const headers = await requireSessionId(subject);
      const deleted = await subject.http({ method: 'DELETE', headers: { ...headers, 'Content-Type': undefined } });
      if (deleted.status === 405) return undefined;
      if (deleted.status < 200 || deleted.status > 299) return expectStatus(deleted, [200, 204, 405]);
      return expectStatus(await subject.http(pingWith(headers)), [404], ' after DELETE');
    },
  },
  status({
    id: 'http-version-header',
    title: 'An unsupported MCP-Protocol-Version is refused with 400',
    severity: 'error',
    spec: TRANSPORTS.versionHeader,
    allowed: [400],
    ask: async (subject) => {
      requireVersionHeader(subject);
      return pingWith({ ...(await sessionHeaders(subject)), 'MCP-Protocol-Version': '1999-01-01' });
    },
  }),
  posts({
    id: 'http-version-header-missing',
    title: 'A request without MCP-Protocol-Version is answered',
    severity: 'warning',
    spec: TRANSPORTS.versionHeader,
    allowed: [200],
    headers: { 'MCP-Protocol-Version': undefined },
  }),
]);
