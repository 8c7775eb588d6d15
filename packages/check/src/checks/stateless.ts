import { isList, isObject, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import { STATELESS, statelessParams } from '../params.ts';
import type { Answer } from '../session.ts';
import type { Subject } from '../subject.ts';
import { needing, type Row } from './builders.ts';
import { countOf, expectError, expectResult, expectThat, isOneOf } from './expectations.ts';
import { areIcons, isText } from './shapes.ts';

const META = '2026-07-28 Base Protocol §_meta';
const NEGOTIATION = '2026-07-28 Versioning §Protocol Version Negotiation';
const version = 'io.modelcontextprotocol/protocolVersion';
const capabilities = 'io.modelcontextprotocol/clientCapabilities';

/** Asks on a connection that all of these checks share: their requests have nothing to do with each other. */
export async function askStateless(
  subject: Subject,
  method: string,
  params: object = statelessParams(),
): Promise<Answer> {
  return await (await subject.sharedStateless()).ask(method, params);
}

/** A request without a session that must be refused with one of the codes. */
export function refusesStateless({
  method,
  params,
  codes,
  ...facts
}: Row<{ method: string; params: object; codes: readonly number[] }>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const answer = await askStateless(subject, method, params);
      // Unlike sessions, every refusal over HTTP has a message.
      const isRight = answer.kind === 'error' && isOneOf(codes, answer.code);
      return expectThat(isRight, () => inWords(answer), `an error with code ${codes.join(' or ')}`);
    },
  };
}

function removed(id: string, method: string, params: object): Check {
  return refusesStateless({
    id,
    title: `${method}, which 2026-07-28 removed, is answered with -32601`,
    severity: 'warning',
    spec: '2026-07-28 Key Changes §Major changes',
    method,
    params: statelessParams(params),
    codes: [-32601],
  });
}

const NEEDS = ['stateless'] as const;

export const statelessChecks = needing(NEEDS, [
  {
    id: 'stateless-discover',
    title: 'server/discover names the versions and capabilities of the server',
    severity: 'error',
    spec: '2026-07-28 Discovery §DiscoverResult',
    run: async ({ discovered }) => {
      const { supportedVersions, capabilities: offered, instructions } = discovered ?? {};
      const isRight =
        isList(supportedVersions) &&
        supportedVersions.every((each) => typeof each === 'string') &&
        supportedVersions.includes(STATELESS) &&
        isObject(offered) &&
        isText(instructions);
      return expectThat(isRight, () => shown(discovered), `supportedVersions with ${STATELESS}, and capabilities`);
    },
  },
  {
    id: 'stateless-server-info',
    title: 'The result of server/discover names the server in its _meta',
    severity: 'warning',
    spec: META,
    run: async ({ discovered }) => {
      const info = objectOrEmpty(memberAt(discovered, '_meta', 'io.modelcontextprotocol/serverInfo'));
      const isRight = typeof info.name === 'string' && typeof info.version === 'string' && areIcons(info.icons);
      return expectThat(isRight, () => shown(discovered?._meta), 'serverInfo with name and version');
    },
  },
  {
    id: 'stateless-capabilities',
    title: 'Each capability is an object, and extensions have names with a prefix',
    severity: 'error',
    spec: '2026-07-28 Versioning §Extension Negotiation',
    run: async ({ discovered }) => {
      const offered = discovered?.capabilities;
      const isRight =
        isObject(offered) &&
        Object.values(offered).every(isObject) &&
        Object.entries(offered.extensions ?? {}).every(
          ([name, value]) => /^[\w.-]+\/[\w.-]+$/.test(name) && isObject(value),
        );
      return expectThat(isRight, () => shown(offered), 'objects, and extensions such as com.example/name');
    },
  },
  {
    id: 'stateless-result-type',
    title: 'The result of server/discover has a resultType',
    severity: 'error',
    spec: '2026-07-28 Base Protocol §Result Responses',
    run: async ({ discovered }) =>
      discovered?.resultType === 'complete'
        ? undefined
        : { seen: shown(discovered), expected: '"resultType": "complete"' },
  },
  refusesStateless({
    id: 'stateless-capabilities-missing',
    title: 'A request without the capabilities of the client is answered with -32602',
    severity: 'error',
    spec: META,
    needs: ['stateless', 'tools'],
    method: 'tools/list',
    params: { _meta: { [version]: STATELESS } },
    codes: [-32602],
  }),
  refusesStateless({
    id: 'stateless-capabilities-type',
    title: 'A request with a string as capabilities of the client is answered with -32602',
    severity: 'warning',
    spec: META,
    needs: ['stateless', 'tools'],
    method: 'tools/list',
    params: { _meta: { [version]: STATELESS, [capabilities]: 'all' } },
    codes: [-32602],
  }),
  {
    id: 'stateless-client-info-optional',
    title: 'A request without clientInfo is answered',
    severity: 'error',
    spec: META,
    run: async (subject) => {
      const _meta = { [version]: STATELESS, [capabilities]: {} };
      return expectResult(await askStateless(subject, 'server/discover', { _meta }));
    },
  },
  {
    id: 'stateless-unknown-meta',
    title: 'Unknown members of _meta and capabilities are tolerated',
    severity: 'error',
    spec: META,
    run: async (subject) => {
      const params = statelessParams({}, STATELESS, { hawserUnknown: {}, extensions: { 'dev.hawser/unknown': {} } });
      return expectResult(await askStateless(subject, 'server/discover', params));
    },
  },
  ...[
    { id: 'stateless-version-unknown', method: 'tools/list', needs: ['stateless', 'tools'] as const },
    { id: 'stateless-discover-version', method: 'server/discover', needs: ['stateless'] as const },
  ].map(
    ({ id, method, needs }): Check => ({
      id,
      title: `${method} in an unknown version is answered with -32022 and the versions that the server supports`,
      severity: 'error',
      spec: NEGOTIATION,
      needs,
      run: async (subject) => {
        const answer = await askStateless(subject, method, statelessParams({}, '2099-01-01'));
        const supported = answer.kind === 'error' ? memberAt(answer.error, 'data', 'supported') : undefined;
        const isRight = answer.kind === 'error' && answer.code === -32022 && isList(supported);
        return expectThat(isRight, () => inWords(answer), 'an error with code -32022 and data.supported');
      },
    }),
  ),
  {
    id: 'stateless-version-requested',
    title: 'The error for an unknown version repeats what was requested',
    severity: 'error',
    spec: '2026-07-28 Schema Reference §UnsupportedProtocolVersionError',
    run: async (subject) => {
      const answer = await askStateless(subject, 'server/discover', statelessParams({}, '2099-01-01'));
      if (answer.kind !== 'error' || answer.code !== -32022) throw new NotApplicable('There is no such error.');
      return expectThat(
        memberAt(answer.error, 'data', 'requested') === '2099-01-01',
        () => inWords(answer),
        'data.requested "2099-01-01"',
      );
    },
  },
  refusesStateless({
    id: 'stateless-unknown-method',
    title: 'An unknown method is answered with -32601 without a session',
    severity: 'error',
    spec: 'JSON-RPC 2.0 §5.1 Error object',
    method: 'hawser/no-such-method',
    params: statelessParams(),
    codes: [-32601],
  }),
  refusesStateless({
    id: 'stateless-unknown-tool',
    title: 'An unknown tool is answered with -32602 without a session',
    severity: 'warning',
    spec: '2026-07-28 Tools §Error Handling',
    needs: ['stateless', 'tools'],
    method: 'tools/call',
    params: statelessParams({ name: 'hawser-no-such-tool', arguments: {} }),
    codes: [-32602],
  }),
  refusesStateless({
    id: 'stateless-unknown-prompt',
    title: 'An unknown prompt is answered with -32602 without a session',
    severity: 'warning',
    spec: '2026-07-28 Prompts §Error Handling',
    needs: ['stateless', 'prompts'],
    method: 'prompts/get',
    params: statelessParams({ name: 'hawser-no-such-prompt' }),
    codes: [-32602],
  }),
  refusesStateless({
    id: 'stateless-unknown-resource',
    title: 'An unknown resource is answered with -32602, no longer with -32002',
    severity: 'error',
    spec: '2026-07-28 Resources §Error Handling',
    needs: ['stateless', 'resources'],
    method: 'resources/read',
    params: statelessParams({ uri: 'hawser-check:///no/such/resource' }),
    codes: [-32602],
  }),
  removed('stateless-ping-removed', 'ping', {}),
  removed('stateless-set-level-removed', 'logging/setLevel', { level: 'info' }),
  removed('stateless-subscribe-removed', 'resources/subscribe', { uri: 'test://one' }),
  {
    id: 'stateless-log-level-unknown',
    title: 'An unknown log level is answered with -32602 without a session',
    severity: 'warning',
    spec: '2026-07-28 Logging §Error Handling',
    needs: ['stateless', 'logging', 'tools'],
    run: async (subject) => {
      const { _meta } = statelessParams();
      const params = { _meta: { ..._meta, 'io.modelcontextprotocol/logLevel': 'loud' } };
      return expectError(await askStateless(subject, 'tools/list', params), [-32602]);
    },
  },
  {
    id: 'stateless-log-unasked',
    title: 'A request without a log level is answered without log messages, and no request is sent to the client',
    severity: 'error',
    spec: '2026-07-28 Logging §Per-request log level',
    run: async (subject) => {
      const session = await subject.sharedStateless();
      const others: Members[] = [];
      for (const need of ['tools', 'prompts', 'resources'].filter((each) =>
        memberAt(subject.discovered, 'capabilities', each),
      )) {
        const method = `${need}/list`;
        session.wire.send({ jsonrpc: '2.0', id: `log-${need}`, method, params: statelessParams() });
        await session.answerTo(`log-${need}`, others);
      }
      const wrong = others.find(({ method, id }) => method === 'notifications/message' || (method && id !== undefined));
      return wrong && { seen: shown(wrong), expected: 'answers only' };
    },
  },
  {
    id: 'stateless-concurrent',
    title: 'Each of 20 requests at once is answered, exactly once',
    severity: 'error',
    spec: '2026-07-28 Base Protocol §Result Responses',
    run: async (subject) => {
      const session = await subject.bare();
      const ids = Array.from({ length: 20 }, (_, index) => `at-once-${index}`);
      for (const id of ids)
        session.wire.send({ jsonrpc: '2.0', id, method: 'server/discover', params: statelessParams() });
      const answers: Members[] = [];
      await session.addAnswersTo(ids, answers);
      // What was answered twice has arrived before this answer.
      session.wire.send({ jsonrpc: '2.0', id: 'last', method: 'server/discover', params: statelessParams() });
      await session.answerTo('last', answers);
      const wrong = ids.find((id) => countOf(answers, id) !== 1);
      return expectThat(wrong === undefined, `${wrong} was not answered once`, 'one answer each');
    },
  },
  {
    id: 'stateless-and-sessions',
    title: 'A connection can be initialized after server/discover was asked on it',
    severity: 'warning',
    spec: '2026-07-28 Versioning §Backward Compatibility with Initialization-Based Versions',
    needs: ['stateless', 'sessions'],
    run: async (subject) => {
      const session = await subject.bare();
      await session.ask('server/discover', statelessParams());
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      return expectResult(await session.ask('initialize', params));
    },
  },
]);
