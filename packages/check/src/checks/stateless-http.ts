import { randomUUID } from 'node:crypto';
import { memberAt, parseObject } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import { STATELESS, statelessParams } from '../params.ts';
import { POST_HEADERS } from '../wires/http.ts';
import type { HttpAnswer, HttpAsk } from '../wires/http-ask.ts';
import { needing, type Row } from './builders.ts';
import { expectThat } from './expectations.ts';
import { answersWithType, EVIL, expectStatus, status } from './http-builders.ts';

const HEADERS = '2026-07-28 Streamable HTTP §Server Validation';
const VERSION = '2026-07-28 Streamable HTTP §Protocol Version Header';
const EARLIER = '2026-07-28 Streamable HTTP §Earlier Streamable HTTP Revisions';
const META = '2026-07-28 Base Protocol §_meta';
const TOOL = 'hawser-no-such-tool';

/** A request of 2026-07-28. `headers` replace those that belong to it. */
function ask(method: string, params: object = statelessParams(), headers: HttpAsk['headers'] = {}): HttpAsk {
  const { name } = params as { name?: string };
  return {
    method: 'POST',
    headers: {
      ...POST_HEADERS,
      'MCP-Protocol-Version': STATELESS,
      'Mcp-Method': method,
      ...(name !== undefined && { 'Mcp-Name': name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'stateless', method, params }),
  };
}

const discover = (headers: HttpAsk['headers'] = {}) => ask('server/discover', statelessParams(), headers);
const call = (headers: HttpAsk['headers'] = {}) =>
  ask('tools/call', statelessParams({ name: TOOL, arguments: {} }), headers);

function inWords({ status, body }: HttpAnswer): string {
  return `HTTP ${status} ${shown(body)}`;
}

function codeIn({ body }: HttpAnswer): unknown {
  return memberAt(parseObject(body), 'error', 'code');
}

/** A request that must be refused with this status and code. */
function refuses({
  request,
  status,
  code,
  ...facts
}: Row<{ request: () => HttpAsk; status: number; code: number }>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const answer = await subject.http(request());
      return expectThat(
        answer.status === status && codeIn(answer) === code,
        () => inWords(answer),
        `HTTP ${status} and an error with code ${code}`,
      );
    },
  };
}

/** A method that 2026-07-28 removed, on a server without sessions. */
function refusesMethod(id: string, method: string): Check {
  return {
    id,
    title: `${method} is refused with 405 by a server without sessions`,
    severity: 'warning',
    spec: EARLIER,
    run: async (subject) => {
      if (subject.initialized !== undefined) throw new NotApplicable('The server has sessions, too.');
      const headers = { Accept: 'text/event-stream', 'MCP-Protocol-Version': STATELESS };
      return expectStatus(await subject.http({ method, headers }), [405]);
    },
  };
}

const NEEDS = ['stateless', 'http'] as const;

export const statelessHttpChecks = needing(NEEDS, [
  refuses({
    id: 'stateless-header-mismatch',
    title: 'An Mcp-Method that contradicts the body is refused with 400 and -32020',
    severity: 'error',
    spec: HEADERS,
    request: () => discover({ 'Mcp-Method': 'tools/list' }),
    status: 400,
    code: -32020,
  }),
  refuses({
    id: 'stateless-header-method-missing',
    title: 'A request without Mcp-Method is refused with 400 and -32020',
    severity: 'error',
    spec: HEADERS,
    request: () => discover({ 'Mcp-Method': undefined }),
    status: 400,
    code: -32020,
  }),
  refuses({
    id: 'stateless-header-method-case',
    title: 'Values of headers are case-sensitive',
    severity: 'warning',
    spec: '2026-07-28 Streamable HTTP §Case Sensitivity',
    request: () => discover({ 'Mcp-Method': 'Server/Discover' }),
    status: 400,
    code: -32020,
  }),
  refuses({
    id: 'stateless-header-version-mismatch',
    title: 'An MCP-Protocol-Version that contradicts the body is refused with 400 and -32020',
    severity: 'error',
    spec: VERSION,
    request: () => discover({ 'MCP-Protocol-Version': '2025-11-25' }),
    status: 400,
    code: -32020,
  }),
  {
    id: 'stateless-header-version-missing',
    title: 'A request without MCP-Protocol-Version is refused by a server without sessions',
    severity: 'error',
    spec: VERSION,
    run: async (subject) => {
      if (subject.initialized !== undefined) throw new NotApplicable('The server serves older revisions, too.');
      return expectStatus(await subject.http(discover({ 'MCP-Protocol-Version': undefined })), [400]);
    },
  },
  refuses({
    id: 'stateless-header-name-mismatch',
    title: 'An Mcp-Name that contradicts the body is refused with 400 and -32020',
    severity: 'error',
    spec: HEADERS,
    needs: ['stateless', 'http', 'tools'],
    request: () => call({ 'Mcp-Name': 'another' }),
    status: 400,
    code: -32020,
  }),
  refuses({
    id: 'stateless-header-name-missing',
    title: 'A tools/call without Mcp-Name is refused with 400 and -32020',
    severity: 'error',
    spec: HEADERS,
    needs: ['stateless', 'http', 'tools'],
    request: () => call({ 'Mcp-Name': undefined }),
    status: 400,
    code: -32020,
  }),
  {
    id: 'stateless-header-name-base64',
    title: 'An Mcp-Name in base64 is decoded before it is compared',
    severity: 'error',
    spec: '2026-07-28 Streamable HTTP §Value Encoding',
    needs: ['stateless', 'http', 'tools'],
    run: async (subject) => {
      const encoded = `=?base64?${Buffer.from(TOOL).toString('base64')}?=`;
      const answer = await subject.http(call({ 'Mcp-Name': encoded }));
      return codeIn(answer) === -32020
        ? { seen: inWords(answer), expected: 'the answer for an unknown tool' }
        : undefined;
    },
  },
  status({
    id: 'stateless-header-names-case',
    title: 'Names of headers are not case-sensitive',
    severity: 'error',
    spec: '2026-07-28 Streamable HTTP §Case Sensitivity',
    allowed: [200],
    ask: () => {
      const { headers = {}, ...rest } = discover();
      return {
        ...rest,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
      };
    },
  }),
  status({
    id: 'stateless-session-id-ignored',
    title: 'An Mcp-Session-Id on a stateless request is ignored',
    severity: 'warning',
    spec: EARLIER,
    allowed: [200],
    ask: () => discover({ 'Mcp-Session-Id': randomUUID() }),
  }),
  status({
    id: 'stateless-last-event-id-ignored',
    title: 'A Last-Event-ID on a stateless request is ignored',
    severity: 'warning',
    spec: EARLIER,
    allowed: [200],
    ask: () => discover({ 'Last-Event-ID': 'hawser-1' }),
  }),
  {
    id: 'stateless-no-session-id',
    title: 'A stateless answer has no session id',
    severity: 'warning',
    spec: EARLIER,
    run: async (subject) => {
      const id = (await subject.http(discover())).headers['mcp-session-id'];
      return expectThat(id === undefined, `Mcp-Session-Id: ${id}`, 'no such header');
    },
  },
  refuses({
    id: 'stateless-http-unknown-method',
    title: 'An unknown method has the HTTP status 404, and -32601',
    severity: 'error',
    spec: VERSION,
    request: () => ask('hawser/no-such-method'),
    status: 404,
    code: -32601,
  }),
  refuses({
    id: 'stateless-http-version',
    title: 'An unknown version has the HTTP status 400, and -32022',
    severity: 'error',
    spec: VERSION,
    request: () => ask('server/discover', statelessParams({}, '2099-01-01'), { 'MCP-Protocol-Version': '2099-01-01' }),
    status: 400,
    code: -32022,
  }),
  refuses({
    id: 'stateless-http-capabilities',
    title: 'A request without the capabilities of the client has the HTTP status 400, and -32602',
    severity: 'error',
    spec: META,
    request: () => ask('server/discover', { _meta: { 'io.modelcontextprotocol/protocolVersion': STATELESS } }),
    status: 400,
    code: -32602,
  }),
  answersWithType({
    id: 'stateless-http-answer-type',
    title: 'A stateless answer is application/json or text/event-stream',
    severity: 'error',
    spec: '2026-07-28 Streamable HTTP §Sending Messages',
    ask: () => discover(),
  }),
  status({
    id: 'stateless-http-origin',
    title: 'A stateless request of a foreign web page is refused',
    severity: 'error',
    spec: '2026-07-28 Streamable HTTP §Security & Endpoint',
    allowed: [403],
    ask: () => discover({ Origin: EVIL }),
  }),
  status({
    id: 'stateless-http-parse-error',
    title: 'A body that is not JSON is refused with 400',
    severity: 'error',
    spec: '2026-07-28 Streamable HTTP §Sending Messages',
    allowed: [400],
    ask: () => ({ ...discover(), body: '{"jsonrpc":' }),
  }),
  refusesMethod('stateless-http-get', 'GET'),
  refusesMethod('stateless-http-delete', 'DELETE'),
]);
