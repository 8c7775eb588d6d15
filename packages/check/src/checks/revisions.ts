import { isList, isObject, type Members, memberAt } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import { initializeParams, NEWEST } from '../params.ts';
import type { Subject } from '../subject.ts';
import { ignores, needing, offersOtherVersion, refuses, refusesInitialize, requireKind } from './builders.ts';
import { expectAlive, expectError, expectNoAnswer, expectResult, expectThat, isOneOf } from './expectations.ts';
import { areIcons, isText } from './shapes.ts';

const NEGOTIATION = '2025-11-25 Lifecycle §Version Negotiation';
const INITIALIZATION = '2025-11-25 Lifecycle §Initialization';
const COMPLETE = { ref: { type: 'ref/prompt', name: 'hawser-no-such-prompt' }, argument: { name: 'x', value: '' } };
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** A method of a capability that the server does not declare. */
function undeclared(id: string, method: string, params: object, isDeclared: (capabilities: Members) => boolean): Check {
  return {
    id,
    title: `${method} is refused if its capability is not declared`,
    severity: 'warning',
    spec: '2025-11-25 Lifecycle §Operation',
    run: async (subject) => {
      if (isDeclared(subject.capabilities)) throw new NotApplicable('The server declares the capability.');
      return expectError(await (await subject.shared()).ask(method, params));
    },
  };
}

async function namesOf(subject: Subject, revision: string): Promise<string> {
  const session = await subject.fresh(revision);
  const answer = await session.ask('tools/list', {});
  if (answer.kind !== 'result' || !isList(answer.result.tools)) return inWords(answer);
  return JSON.stringify(answer.result.tools.map((tool) => memberAt(tool, 'name')));
}

const NEEDS = ['sessions'] as const;

export const revisionChecks = needing(NEEDS, [
  ...REVISIONS.flatMap((revision): Check[] => [
    {
      id: `revision-${revision}-ping`,
      title: `A session of ${revision} answers ping and refuses unknown methods`,
      severity: 'error',
      spec: `${revision} Ping §Behavior Requirements`,
      run: async (subject) => {
        const session = await subject.fresh(revision);
        if (session.revision !== revision) throw new NotApplicable(`The server does not serve revision ${revision}.`);
        const finding = expectResult(await session.ask('ping'), () => true, 'a result of ping');
        return finding ?? expectError(await session.ask('hawser/no-such-method', {}), [-32601]);
      },
    },
    {
      id: `revision-${revision}-tools`,
      title: `A session of ${revision} lists the same tools as the newest`,
      severity: 'info',
      spec: `${revision} Tools §Listing Tools`,
      needs: ['sessions', 'tools'],
      run: async (subject) => {
        const newest = subject.protocolVersion;
        if (newest === revision) throw new NotApplicable('It is the newest.');
        const [names, all] = [await namesOf(subject, revision), await namesOf(subject, newest)];
        return expectThat(names === all, () => shown(names), shown(all));
      },
    },
  ]).filter(({ id }) => id !== `revision-${REVISIONS.at(-1)}-tools`),
  {
    id: 'version-published',
    title: 'The version in the answer is a published one',
    severity: 'error',
    spec: NEGOTIATION,
    run: async ({ initialized }) => {
      const version = initialized?.protocolVersion;
      return expectThat(isOneOf(REVISIONS, version), () => shown(version), `one of ${REVISIONS.join(', ')}`);
    },
  },
  {
    id: 'version-latest',
    title: 'An unknown version is answered with the latest that the server supports',
    severity: 'warning',
    spec: NEGOTIATION,
    run: async (subject) => {
      const latest = subject.protocolVersion;
      const answer = await (await subject.bare()).ask('initialize', initializeParams('1999-01-01'));
      if (answer.kind !== 'result') throw new NotApplicable('The server refuses an unknown version.');
      const { protocolVersion } = answer.result;
      return expectThat(
        typeof protocolVersion === 'string' && protocolVersion >= latest,
        () => shown(protocolVersion),
        shown(latest),
      );
    },
  },
  offersOtherVersion({
    id: 'version-future',
    title: 'A version of the future is answered with one that the server supports',
    severity: 'error',
    spec: NEGOTIATION,
    version: '2099-12-31',
  }),
  refusesInitialize({
    id: 'version-type',
    title: 'initialize with a number as version is answered with -32602',
    severity: 'warning',
    spec: INITIALIZATION,
    params: initializeParams(20251125),
  }),
  refusesInitialize({
    id: 'initialize-without-params',
    title: 'initialize without params is answered with -32602',
    severity: 'warning',
    spec: INITIALIZATION,
    params: undefined,
  }),
  {
    id: 'initialize-again',
    title: 'After an initialize that failed, a right one is answered',
    severity: 'warning',
    spec: INITIALIZATION,
    run: async (subject) => {
      const session = await subject.bare();
      const bad = await session.ask('initialize', {});
      if (bad.kind === 'result') throw new NotApplicable('The server accepts initialize without a version.');
      return expectResult(await session.ask('initialize', initializeParams(NEWEST)));
    },
  },
  {
    id: 'initialize-cancelled',
    title: 'The connection survives the cancellation of initialize',
    severity: 'info',
    spec: '2025-11-25 Cancellation §Behavior Requirements',
    run: async (subject) => {
      const session = await subject.fresh();
      const params = { requestId: 'request-0', reason: 'test' };
      return expectAlive(await session.probe({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
    },
  },
  {
    id: 'initialized-twice',
    title: 'A second notifications/initialized is ignored',
    severity: 'warning',
    spec: INITIALIZATION,
    run: async (subject) =>
      expectNoAnswer(await (await subject.fresh()).probe({ jsonrpc: '2.0', method: 'notifications/initialized' })),
  },
  {
    id: 'ping-before-initialized',
    title: 'ping is answered between initialize and notifications/initialized',
    severity: 'warning',
    spec: INITIALIZATION,
    run: async (subject) => {
      const session = await subject.bare();
      await session.ask('initialize', initializeParams(NEWEST));
      return expectResult(await session.ask('ping'));
    },
  },
  {
    id: 'server-info',
    title: 'The title, description, website and icons of the server have the right types',
    severity: 'error',
    spec: '2025-11-25 Schema Reference §Implementation',
    needs: [],
    run: async ({ serverInfo }) => {
      const { title, description, websiteUrl, icons } = isObject(serverInfo) ? serverInfo : {};
      const isRight = [title, description, websiteUrl].every(isText) && areIcons(icons);
      return expectThat(isRight, () => shown(serverInfo), 'strings, and an array of icons with a "src"');
    },
  },
  {
    id: 'server-name',
    title: 'The name and the version of the server are not empty',
    severity: 'info',
    spec: INITIALIZATION,
    run: async ({ serverInfo }) =>
      memberAt(serverInfo, 'name') === '' || memberAt(serverInfo, 'version') === ''
        ? { seen: shown(serverInfo), expected: 'a name and a version' }
        : undefined,
  },
  {
    id: 'capabilities-tasks',
    title: 'The capability "tasks" has objects for list, cancel and requests',
    severity: 'error',
    spec: '2025-11-25 Tasks §Server Capabilities',
    run: async ({ capabilities: { tasks } }) => {
      if (tasks === undefined) throw new NotApplicable('The server has no tasks.');
      const isPart = (value: unknown) => value === undefined || isObject(value);
      const isRight = isObject(tasks) && [tasks.list, tasks.cancel, tasks.requests].every(isPart);
      return expectThat(isRight, () => shown(tasks), 'objects');
    },
  },
  undeclared('completions-undeclared', 'completion/complete', COMPLETE, ({ completions }) => completions !== undefined),
  undeclared('logging-undeclared', 'logging/setLevel', { level: 'info' }, ({ logging }) => logging !== undefined),
  undeclared(
    'subscribe-undeclared',
    'resources/subscribe',
    { uri: 'hawser-check:///nothing' },
    (capabilities) => memberAt(capabilities, 'resources', 'subscribe') === true,
  ),
  undeclared('tasks-undeclared', 'tasks/get', { taskId: 'hawser-no-such-task' }, ({ tasks }) => tasks !== undefined),
  refuses({
    id: 'cancel-as-request',
    title: 'notifications/cancelled that is sent as a request is refused',
    severity: 'info',
    spec: '2025-11-25 Cancellation §Cancellation Flow',
    method: 'notifications/cancelled',
    params: { requestId: 'none' },
    codes: [-32601, -32600, -32602],
  }),
  {
    id: 'cancel-late',
    title: 'The cancellation of a request that was answered is ignored',
    severity: 'error',
    spec: '2025-11-25 Cancellation §Error Handling',
    run: async (subject) => {
      const session = await subject.shared();
      await session.ask('ping', {}, 'was-answered');
      const params = { requestId: 'was-answered' };
      return expectNoAnswer(await session.probe({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
    },
  },
  ignores({
    id: 'cancel-type',
    title: 'A cancellation whose request id is an object is ignored',
    severity: 'error',
    spec: '2025-11-25 Cancellation §Error Handling',
    message: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } },
  }),
  ignores({
    id: 'roots-changed',
    title: 'notifications/roots/list_changed of a client without roots is ignored',
    severity: 'warning',
    spec: '2025-11-25 Roots §Root List Changes',
    message: { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
  }),
  {
    id: 'reconnect',
    title: 'After a connection broke, the next one works',
    severity: 'error',
    spec: '2025-11-25 Lifecycle §Initialization',
    run: async (subject) => {
      requireKind(subject, ['websocket', 'http'], 'Over stdio each connection is a process.');
      const broken = await subject.fresh();
      broken.wire.send({ jsonrpc: '2.0', id: 'lost', method: 'ping' });
      await broken.wire.close();
      return expectResult(await (await subject.fresh()).ask('ping'));
    },
  },
]);
