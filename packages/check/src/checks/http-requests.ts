import { randomUUID } from 'node:crypto';
import { NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import type { Subject } from '../subject.ts';
import type { HttpAnswer, HttpAsk } from '../wires/http-ask.ts';
import { needing } from './builders.ts';
import { expectThat } from './expectations.ts';
import {
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

const REFUSALS = [400, 401, 403, 404, 405, 406, 409, 413, 415, 421, 422, 501];

/** Ends a session that was opened for it. Resolves to the request that did. */
async function deleteSession(subject: Subject): Promise<HttpAsk> {
  const ask = bare('DELETE', await requireSessionId(subject));
  if ((await subject.http(ask)).status === 405) throw new NotApplicable('The server does not allow DELETE.');
  return ask;
}

const allowsOrigin = ({ headers }: HttpAnswer) => [EVIL, '*'].includes(String(headers['access-control-allow-origin']));

export const httpRequestChecks = needing(httpNeeds, [
  ...['GET', 'DELETE'].map((method) =>
    status({
      id: `http-origin-${method.toLowerCase()}`,
      title: `A ${method} of a foreign web page is refused`,
      severity: 'error',
      spec: TRANSPORTS.security,
      // A server without the method has nothing to protect.
      allowed: (subject) => [...originRefusals(subject), 405],
      ask: async (subject) => bare(method, await sessionHeaders(subject), { Origin: EVIL }),
    }),
  ),
  ...[
    { id: 'http-origin-null', title: 'A request of a page without an origin is refused', origin: 'null' },
    {
      id: 'http-origin-similar',
      title: 'A request of a page whose host only begins with localhost is refused',
      origin: 'http://localhost.evil.example',
    },
  ].map(({ id, title, origin }) =>
    initializes({
      id,
      title,
      severity: 'error',
      spec: TRANSPORTS.security,
      allowed: originRefusals,
      headers: { Origin: origin },
    }),
  ),
  {
    id: 'http-cors',
    title: 'Foreign web pages may not read answers',
    severity: 'warning',
    spec: TRANSPORTS.security,
    run: async (subject) => {
      const answer = await subject.http(initializeWith({ Origin: EVIL }));
      return allowsOrigin(answer)
        ? {
            seen: `Access-Control-Allow-Origin: ${answer.headers['access-control-allow-origin']}`,
            expected: 'no such header for a foreign page',
          }
        : undefined;
    },
  },
  status({
    id: 'http-head',
    title: 'HEAD is refused or answered without a stream',
    severity: 'info',
    spec: TRANSPORTS.listening,
    allowed: [200, ...REFUSALS],
    ask: async (subject) => bare('HEAD', await sessionHeaders(subject)),
  }),
  status({
    id: 'http-get-accept',
    title: 'A GET that does not accept event streams is refused',
    severity: 'info',
    spec: TRANSPORTS.listening,
    allowed: [400, 405, 406],
    ask: async (subject) => bare('GET', await sessionHeaders(subject), { Accept: 'application/json' }),
  }),
  status({
    id: 'http-get-unknown-session',
    title: 'A GET in an unknown session is refused with 404',
    severity: 'error',
    spec: TRANSPORTS.sessions,
    allowed: [404, 405],
    ask: async (subject) => bare('GET', await requireSessionId(subject), { 'Mcp-Session-Id': randomUUID() }),
  }),
  status({
    id: 'http-get-without-session',
    title: 'A GET without the session id is refused with 400',
    severity: 'warning',
    spec: TRANSPORTS.sessions,
    allowed: [400, 405],
    ask: async (subject) => bare('GET', await requireSessionId(subject), { 'Mcp-Session-Id': undefined }),
  }),
  status({
    id: 'http-delete-unknown',
    title: 'A DELETE of an unknown session is refused with 404',
    severity: 'warning',
    spec: TRANSPORTS.sessions,
    allowed: [404, 405],
    ask: async (subject) => bare('DELETE', await requireSessionId(subject), { 'Mcp-Session-Id': randomUUID() }),
  }),
  status({
    id: 'http-delete-without-session',
    title: 'A DELETE without a session id is refused',
    severity: 'info',
    spec: TRANSPORTS.sessions,
    allowed: [400, 404, 405],
    ask: async (subject) => bare('DELETE', await sessionHeaders(subject), { 'Mcp-Session-Id': undefined }),
  }),
  {
    id: 'http-delete-get',
    title: 'After DELETE, a GET in the session is refused with 404',
    severity: 'error',
    spec: TRANSPORTS.sessions,
    run: async (subject) => {
      const ask = await deleteSession(subject);
      return expectStatus(await subject.http({ ...ask, method: 'GET' }), [404, 405], ' after DELETE');
    },
  },
  {
    id: 'http-delete-other',
    title: 'DELETE of one session leaves others alone',
    severity: 'error',
    spec: TRANSPORTS.sessions,
    run: async (subject) => {
      const other = await requireSessionId(subject);
      await deleteSession(subject);
      return expectStatus(await subject.http(pingWith(other)), [200]);
    },
  },
  posts({
    id: 'http-content-type-charset',
    title: 'A POST of application/json; charset=utf-8 is answered',
    severity: 'error',
    spec: TRANSPORTS.sending,
    allowed: [200],
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  }),
  posts({
    id: 'http-content-type-case',
    title: 'A POST of Application/JSON is answered',
    severity: 'warning',
    spec: 'RFC 9110 §8.3.1 Media Type',
    allowed: [200],
    headers: { 'Content-Type': 'Application/JSON' },
  }),
  posts({
    id: 'http-content-type-missing',
    title: 'A POST without a content type is refused',
    severity: 'info',
    spec: TRANSPORTS.sending,
    allowed: [400, 406, 415],
    headers: { 'Content-Type': undefined },
  }),
  posts({
    id: 'http-accept-order',
    title: 'The order and the weights in Accept do not matter',
    severity: 'warning',
    spec: 'RFC 9110 §12.5.1 Accept',
    allowed: [200],
    headers: { Accept: 'text/event-stream;q=0.9, application/json;q=0.8' },
  }),
  posts({
    id: 'http-accept-wildcard',
    title: 'A POST that accepts */* is answered',
    severity: 'info',
    spec: 'RFC 9110 §12.5.1 Accept',
    allowed: [200],
    headers: { Accept: '*/*' },
  }),
  posts({
    id: 'http-body-empty',
    title: 'An empty POST is refused',
    severity: 'error',
    spec: TRANSPORTS.sending,
    allowed: REFUSALS,
    body: '',
  }),
  posts({
    id: 'http-body-number',
    title: 'A POST of a number is refused',
    severity: 'error',
    spec: TRANSPORTS.sending,
    allowed: REFUSALS,
    body: '42',
  }),
  posts({
    id: 'http-body-two-messages',
    title: 'A POST of two messages on two lines is refused',
    severity: 'warning',
    spec: TRANSPORTS.sending,
    allowed: REFUSALS,
    body: `${pingBody}\n${pingBody}`,
  }),
  posts({
    id: 'http-body-whitespace',
    title: 'Line ends around the message in a POST are accepted',
    severity: 'error',
    spec: TRANSPORTS.sending,
    allowed: [200],
    body: `\r\n  ${pingBody}\r\n`,
  }),
  posts({
    id: 'http-body-invalid-utf8',
    title: 'A POST that is not UTF-8 does not break the server',
    severity: 'warning',
    spec: '2025-11-25 Transports §Streamable HTTP',
    allowed: [200, ...REFUSALS],
    body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
  }),
  posts({
    id: 'http-response-accepted',
    title: 'A POST of an answer is accepted with 202, or refused',
    severity: 'error',
    spec: TRANSPORTS.sending,
    allowed: [202, ...REFUSALS],
    body: JSON.stringify({ jsonrpc: '2.0', id: 'never-asked', result: {} }),
  }),
  ...['GET', 'DELETE'].map((method) =>
    status({
      id: `http-version-header-${method.toLowerCase()}`,
      title: `A ${method} with an unsupported MCP-Protocol-Version is refused with 400`,
      severity: 'error',
      spec: TRANSPORTS.versionHeader,
      allowed: [400, 405],
      ask: async (subject) => {
        requireVersionHeader(subject);
        return bare(method, await sessionHeaders(subject), { 'MCP-Protocol-Version': '1999-01-01' });
      },
    }),
  ),
  status({
    id: 'http-version-header-malformed',
    title: 'An MCP-Protocol-Version that is not a date is refused with 400',
    severity: 'error',
    spec: TRANSPORTS.versionHeader,
    allowed: [400],
    ask: async (subject) => {
      requireVersionHeader(subject);
      return pingWith({ ...(await sessionHeaders(subject)), 'MCP-Protocol-Version': 'newest' });
    },
  }),
  {
    id: 'http-own-response',
    title: 'Each of 10 POSTs at once is answered on its own response',
    severity: 'error',
    spec: TRANSPORTS.sending,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      const ids = Array.from({ length: 10 }, (_, index) => `own-${index}`);
      const texts = await Promise.all(
        ids.map(async (id) => {
          const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
          const stream = await subject.stream({ method: 'POST', headers, body });
          if (!stream.isStream) return await stream.text();
          let text = '';
          for (let event = await stream.next(subject.patience); event !== undefined; ) {
            text += event.data;
            if (text.includes('"jsonrpc"')) break;
            event = await stream.next(subject.patience);
          }
          return text;
        }),
      );
      const wrong = ids.findIndex((id, index) => !texts[index]?.includes(`"${id}"`));
      return expectThat(
        wrong === -1,
        () => `${shown(texts[wrong])} on the response to ${ids[wrong]}`,
        'its own answer',
      );
    },
  },
]);
