import { listOrEmpty, type Members, memberAt } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import { STATELESS, statelessParams } from '../params.ts';
import type { Subject } from '../subject.ts';
import { needing } from './builders.ts';
import { expectError, expectResult, expectThat, isOneOf } from './expectations.ts';
import { firstResource } from './resources-and-prompts.ts';
import { askStateless, refusesStateless } from './stateless.ts';

const TASKS = 'io.modelcontextprotocol/tasks';

const listMethods = [
  { need: 'tools', method: 'tools/list' },
  { need: 'prompts', method: 'prompts/list' },
  { need: 'resources', method: 'resources/list' },
  { need: 'resources', method: 'resources/templates/list' },
] as const;

const CACHEABLE = '2026-07-28 Caching §Cacheable Results';
const HOW_LONG_AND_FOR_WHOM = 'an integer "ttlMs" from 0 on, and a "cacheScope" of public or private';

function isCacheable({ ttlMs, cacheScope }: Members): boolean {
  return (
    typeof ttlMs === 'number' && Number.isInteger(ttlMs) && ttlMs >= 0 && isOneOf(['public', 'private'], cacheScope)
  );
}

const NEEDS = ['stateless'] as const;

export const statelessListChecks = needing(NEEDS, [
  {
    id: 'stateless-discover-caching',
    title: 'The result of server/discover says how long and for whom it may be cached',
    severity: 'error',
    spec: CACHEABLE,
    run: async ({ discovered }) =>
      expectThat(isCacheable(discovered ?? {}), () => shown(discovered), HOW_LONG_AND_FOR_WHOM),
  },
  ...listMethods.flatMap(({ need, method }): Check[] => {
    const name = method.replace('/list', '').replace('/', '-');
    return [
      {
        id: `stateless-${name}-caching`,
        title: `${method} says how long and for whom it may be cached`,
        severity: 'error',
        spec: CACHEABLE,
        needs: ['stateless', need],
        run: async (subject) => expectResult(await askStateless(subject, method), isCacheable, HOW_LONG_AND_FOR_WHOM),
      },
      {
        id: `stateless-${name}-result-type`,
        title: `The result of ${method} has a resultType`,
        severity: 'error',
        spec: '2026-07-28 Base Protocol §Result Responses',
        needs: ['stateless', need],
        run: async (subject) =>
          expectResult(
            await askStateless(subject, method),
            ({ resultType }) => resultType === 'complete',
            '"resultType": "complete"',
          ),
      },
      refusesStateless({
        id: `stateless-${name}-bad-cursor`,
        title: `An invalid cursor of ${method} is answered with -32602 without a session`,
        severity: 'warning',
        spec: '2026-07-28 Pagination §Error Handling',
        needs: ['stateless', need],
        method,
        params: statelessParams({ cursor: 'hawser-no-such-cursor' }),
        codes: [-32602],
      }),
    ];
  }),
  {
    id: 'stateless-read-caching',
    title: 'resources/read says how long and for whom it may be cached',
    severity: 'error',
    spec: CACHEABLE,
    needs: ['stateless', 'resources'],
    run: async (subject) => {
      const resource = await firstResource(subject);
      const answer = await askStateless(subject, 'resources/read', statelessParams({ uri: resource.uri }));
      if (answer.kind !== 'result') throw new NotApplicable('The resource can not be read.');
      return expectThat(isCacheable(answer.result), () => inWords(answer), HOW_LONG_AND_FOR_WHOM);
    },
  },
  {
    id: 'stateless-list-per-connection',
    title: 'Two connections list the same tools',
    severity: 'error',
    spec: '2026-07-28 Tools §Capabilities',
    needs: ['stateless', 'tools'],
    run: async (subject) => {
      const names = async () => {
        const answer = await (await subject.bare()).ask('tools/list', statelessParams());
        return answer.kind === 'result'
          ? JSON.stringify(listOrEmpty(answer.result.tools).map((tool) => memberAt(tool, 'name')))
          : '';
      };
      const [first, second] = [await names(), await names()];
      return expectThat(first === second, () => `${shown(first)}, then ${shown(second)}`, 'the same');
    },
  },
  {
    id: 'stateless-tasks-undeclared',
    title: 'tasks/get is refused if the server does not declare tasks',
    severity: 'warning',
    spec: 'MCP Tasks §Capability Negotiation',
    run: async (subject) => {
      if (hasTasks(subject)) throw new NotApplicable('The server declares tasks.');
      return expectError(await askStateless(subject, 'tasks/get', statelessParams({ taskId: 'none' })));
    },
  },
  {
    id: 'stateless-task-unknown',
    title: 'tasks/get of an unknown task is answered with -32602',
    severity: 'error',
    spec: 'MCP Tasks §Protocol Errors',
    run: async (subject) => {
      requireTasks(subject);
      const params = statelessParams({ taskId: 'hawser-no-such-task' }, STATELESS, { extensions: { [TASKS]: {} } });
      return expectError(await askStateless(subject, 'tasks/get', params), [-32602]);
    },
  },
  {
    id: 'stateless-task-capability',
    title: 'tasks/get of a client that does not declare tasks is answered with -32021',
    severity: 'error',
    spec: 'MCP Tasks §Protocol Errors',
    run: async (subject) => {
      requireTasks(subject);
      const answer = await askStateless(subject, 'tasks/get', statelessParams({ taskId: 'hawser-no-such-task' }));
      return expectError(answer, [-32021]);
    },
  },
]);

function hasTasks({ discovered }: Subject): boolean {
  return memberAt(discovered, 'capabilities', 'extensions', TASKS) !== undefined;
}

function requireTasks(subject: Subject): void {
  if (!hasTasks(subject)) throw new NotApplicable('The server does not declare tasks.');
}
