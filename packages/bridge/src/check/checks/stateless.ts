import type { Check } from '../check.ts';
import { inWords, STATELESS, shown, statelessParams } from '../subject.ts';
import { POST_HEADERS } from '../wires/http.ts';
import { expectError, expectResult, isObject } from './expectations.ts';

const DISCOVERY = '2026-07-28 Discovery §server/discover';
const META = '2026-07-28 Base Protocol §_meta';
const HTTP = '2026-07-28 Transports §Streamable HTTP';

export const statelessChecks: readonly Check[] = [
  {
    id: 'stateless-discover',
    title: 'server/discover names the versions and capabilities of the server',
    severity: 'error',
    spec: DISCOVERY,
    needs: ['stateless'],
    run: async ({ discovered }) => {
      const { supportedVersions, capabilities } = discovered;
      const isRight =
        Array.isArray(supportedVersions) && supportedVersions.includes(STATELESS) && isObject(capabilities);
      return isRight
        ? undefined
        : { seen: shown(discovered), expected: `supportedVersions with ${STATELESS}, and capabilities` };
    },
  },
  {
    id: 'stateless-result-type',
    title: 'Each result has a resultType',
    severity: 'error',
    spec: '2026-07-28 Base Protocol §Responses',
    needs: ['stateless'],
    run: async ({ discovered }) =>
      discovered.resultType === 'complete'
        ? undefined
        : { seen: shown(discovered), expected: '"resultType": "complete"' },
  },
  {
    id: 'stateless-list-caching',
    title: 'A list says how long and for whom it may be cached',
    severity: 'warning',
    spec: '2026-07-28 Caching',
    needs: ['stateless', 'tools'],
    run: async (subject) =>
      expectResult(
        await (await subject.bare()).ask('tools/list', statelessParams()),
        ({ ttlMs, cacheScope }) => typeof ttlMs === 'number' && ['public', 'private'].includes(cacheScope),
        'a number "ttlMs" and a "cacheScope" of public or private',
      ),
  },
  {
    id: 'stateless-capabilities-missing',
    title: 'A request without the capabilities of the client is answered with -32602',
    severity: 'error',
    spec: META,
    needs: ['stateless', 'tools'],
    run: async (subject) => {
      const _meta = { 'io.modelcontextprotocol/protocolVersion': STATELESS };
      return expectError(await (await subject.bare()).ask('tools/list', { _meta }), [-32602]);
    },
  },
  {
    id: 'stateless-version-unknown',
    title: 'An unknown version is answered with -32022 and the versions that the server supports',
    severity: 'error',
    spec: META,
    needs: ['stateless', 'tools'],
    run: async (subject) => {
      const answer = await (await subject.bare()).ask('tools/list', statelessParams({}, '2099-01-01'));
      const isRight = answer.kind === 'error' && answer.code === -32022 && Array.isArray(answer.error?.data?.supported);
      return isRight ? undefined : { seen: inWords(answer), expected: 'an error with code -32022 and data.supported' };
    },
  },
  {
    id: 'stateless-unknown-method',
    title: 'An unknown method is answered with -32601 without a session',
    severity: 'error',
    spec: '2026-07-28 Base Protocol §Responses',
    needs: ['stateless'],
    run: async (subject) =>
      expectError(await (await subject.bare()).ask('hawser/no-such-method', statelessParams()), [-32601]),
  },
  {
    id: 'stateless-no-session-id',
    title: 'A stateless answer has no session id',
    severity: 'warning',
    spec: HTTP,
    needs: ['stateless', 'http'],
    run: async (subject) => {
      const { headers } = await subject.http(discoverBy({ 'Mcp-Method': 'server/discover' }));
      const id = headers['mcp-session-id'];
      return id === undefined ? undefined : { seen: `Mcp-Session-Id: ${id}`, expected: 'no such header' };
    },
  },
  {
    id: 'stateless-http-unknown-method',
    title: 'An unknown method has the HTTP status 404',
    severity: 'warning',
    spec: HTTP,
    needs: ['stateless', 'http'],
    run: async (subject) => {
      const method = 'hawser/no-such-method';
      const { status } = await subject.http(discoverBy({ 'Mcp-Method': method }, method));
      return status === 404 ? undefined : { seen: `HTTP ${status}`, expected: 'HTTP 404' };
    },
  },
  {
    id: 'stateless-header-mismatch',
    title: 'A header that contradicts the body is refused with 400 and -32020',
    severity: 'error',
    spec: '2026-07-28 Transports §Server Validation',
    needs: ['stateless', 'http'],
    run: async (subject) => {
      const { status, body } = await subject.http(discoverBy({ 'Mcp-Method': 'tools/list' }));
      const isRight = status === 400 && body.includes('-32020');
      return isRight
        ? undefined
        : { seen: `HTTP ${status} ${shown(body)}`, expected: 'HTTP 400 and an error with code -32020' };
    },
  },
];

function discoverBy(headers: Readonly<Record<string, string>>, method = 'server/discover') {
  return {
    method: 'POST',
    headers: { ...POST_HEADERS, 'MCP-Protocol-Version': STATELESS, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'stateless', method, params: statelessParams() }),
  };
}
