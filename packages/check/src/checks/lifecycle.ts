import { isList, isObject } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import { initializeParams, NEWEST } from '../params.ts';
import { needing, offersOtherVersion, refusesInitialize } from './builders.ts';
import {
  eachAnswerIn,
  expectAlive,
  expectErrorAfter,
  expectNoAnswer,
  expectResult,
  expectThat,
  probeInWords,
} from './expectations.ts';
import { isFlag } from './shapes.ts';

const INITIALIZATION = '2025-11-25 Lifecycle §Initialization';
const NEGOTIATION = '2025-11-25 Lifecycle §Version Negotiation';
const CAPABILITIES = '2025-11-25 Lifecycle §Capability Negotiation';
const BATCHING = '2025-03-26 Base Protocol §Batching';
const batch = [
  { jsonrpc: '2.0', id: 'b1', method: 'ping' },
  { jsonrpc: '2.0', id: 'b2', method: 'ping' },
];

const NEEDS = ['sessions'] as const;

export const lifecycleChecks = needing(NEEDS, [
  {
    id: 'initialize-result',
    title: 'The result of initialize has a version, capabilities and a named server',
    severity: 'error',
    spec: INITIALIZATION,
    run: async ({ initialized }) => {
      const { protocolVersion, capabilities, serverInfo, instructions } = initialized ?? {};
      const isRight =
        typeof protocolVersion === 'string' &&
        isObject(capabilities) &&
        isObject(serverInfo) &&
        typeof serverInfo.name === 'string' &&
        typeof serverInfo.version === 'string' &&
        (instructions === undefined || typeof instructions === 'string');
      const expected =
        'protocolVersion, capabilities, serverInfo with name and version; instructions, if any, as a string';
      return isRight ? undefined : { seen: shown(initialized), expected };
    },
  },
  {
    id: 'capabilities-shape',
    title: 'Each capability is an object, and its listChanged and subscribe are booleans',
    severity: 'error',
    spec: CAPABILITIES,
    run: async ({ initialized }) => {
      const wrong = Object.entries(initialized?.capabilities ?? {}).find(
        ([, value]) => !isObject(value) || !isFlag(value.listChanged) || !isFlag(value.subscribe),
      );
      return wrong && { seen: `${wrong[0]}: ${shown(wrong[1])}`, expected: 'an object, with booleans in it' };
    },
  },
  {
    id: 'version-kept',
    title: 'A version that the server supports is the one it answers with',
    severity: 'error',
    spec: NEGOTIATION,
    run: async (subject) => {
      const version = subject.protocolVersion;
      const answer = await (await subject.bare()).ask('initialize', initializeParams(version));
      return expectResult(
        answer,
        (result) => result.protocolVersion === version,
        `protocolVersion ${version}, as requested`,
      );
    },
  },
  offersOtherVersion({
    id: 'version-unknown',
    title: 'An unknown version is answered with one that the server supports',
    severity: 'error',
    spec: NEGOTIATION,
    version: '1999-01-01',
  }),
  refusesInitialize({
    id: 'version-missing',
    title: 'initialize without a version is answered with -32602',
    severity: 'warning',
    spec: INITIALIZATION,
    params: { capabilities: {}, clientInfo: { name: 'hawser-check', version: '1' } },
  }),
  {
    id: 'initialize-unknown-members',
    title: 'Unknown capabilities of a client are tolerated',
    severity: 'error',
    spec: CAPABILITIES,
    run: async (subject) => {
      const capabilities = { experimental: { x: {} }, hawserUnknown: { deep: [1] } };
      const answer = await (await subject.bare()).ask('initialize', { ...initializeParams(NEWEST), capabilities });
      return expectResult(answer);
    },
  },
  {
    id: 'initialized-unanswered',
    title: 'notifications/initialized is not answered',
    severity: 'error',
    spec: INITIALIZATION,
    run: async (subject) => {
      const session = await subject.bare();
      await session.ask('initialize', initializeParams(NEWEST));
      return expectNoAnswer(await session.probe({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    },
  },
  {
    id: 'ping-before-initialize',
    title: 'ping is answered before initialize',
    severity: 'info',
    spec: INITIALIZATION,
    run: async (subject) => {
      if (subject.target.kind === 'http') throw new NotApplicable('Over HTTP, initialize opens the session.');
      return expectResult(await (await subject.bare()).ask('ping'), () => true, 'an empty result');
    },
  },
  {
    id: 'ping',
    title: 'ping is answered with an empty result',
    severity: 'error',
    spec: '2025-11-25 Ping §Behavior Requirements',
    run: async (subject) => {
      const answer = await (await subject.shared()).ask('ping', undefined);
      return expectResult(answer, (result) => Object.keys(result).every((name) => name === '_meta'), 'the result {}');
    },
  },
  {
    id: 'batch-answered',
    title: 'A batch is answered under 2025-03-26',
    severity: 'error',
    spec: BATCHING,
    run: async (subject) => {
      const probe = await (await subject.fresh('2025-03-26')).probe(batch);
      const ids = eachAnswerIn(probe).map(({ id }) => id);
      return expectThat(
        ids.includes('b1') && ids.includes('b2'),
        () => probe.dead ?? probeInWords(probe),
        'both requests of the batch answered',
      );
    },
  },
  {
    id: 'batch-empty',
    title: 'An empty batch is answered with -32600 under 2025-03-26',
    severity: 'info',
    spec: 'JSON-RPC 2.0 §6 Batch',
    run: async (subject) =>
      expectErrorAfter(await (await subject.fresh('2025-03-26')).probe('[]'), [-32600], 'an error with code -32600'),
  },
  {
    id: 'batch-notifications',
    title: 'A batch of notifications is not answered under 2025-03-26',
    severity: 'warning',
    spec: 'JSON-RPC 2.0 §6 Batch',
    run: async (subject) => {
      const session = await subject.fresh('2025-03-26');
      return expectNoAnswer(await session.probe([{ jsonrpc: '2.0', method: 'notifications/hawser-unknown' }]));
    },
  },
  {
    id: 'batch-refused',
    title: 'A batch is not carried out since 2025-06-18',
    severity: 'warning',
    spec: '2025-06-18 Key Changes §Major changes',
    run: async (subject) => {
      const session = await subject.shared();
      if (subject.protocolVersion < '2025-06-18') throw new NotApplicable('The server serves older revisions only.');
      const probe = await session.probe(batch);
      const isDone = eachAnswerIn(probe).some(({ result }) => result !== undefined);
      if (isDone) return { seen: probeInWords(probe), expected: 'an error with code -32600, not results' };
      return expectAlive(probe);
    },
  },
  ...(['tools', 'resources', 'prompts'] as const).flatMap((feature): Check[] => [
    {
      id: `${feature}-declared`,
      title: `A server that declares ${feature} lists them`,
      severity: 'error',
      spec: `2025-11-25 ${feature[0]?.toUpperCase()}${feature.slice(1)} §Capabilities`,
      needs: ['sessions', feature],
      run: async (subject) => {
        const answer = await (await subject.shared()).ask(`${feature}/list`, {});
        return expectResult(answer, (result) => isList(result[feature]), `a result with an array "${feature}"`);
      },
    },
    {
      id: `${feature}-undeclared`,
      title: `A server that does not declare ${feature} lists none`,
      severity: 'warning',
      spec: CAPABILITIES,
      run: async (subject) => {
        if (subject.capabilities[feature] !== undefined) throw new NotApplicable(`The server declares ${feature}.`);
        const answer = await (await subject.shared()).ask(`${feature}/list`, {});
        // An empty list promises nothing.
        if (answer.kind === 'result' && isList(answer.result[feature]) && answer.result[feature].length === 0)
          return undefined;
        return answer.kind === 'result' || answer.kind === 'silence'
          ? { seen: inWords(answer), expected: `the capability "${feature}", or an error with code -32601` }
          : undefined;
      },
    },
  ]),
]);
