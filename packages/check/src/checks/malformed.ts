import { type Check, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import {
  answers,
  firstFinding,
  ignores,
  ignoresResponse,
  needing,
  refuses,
  refusesMessage,
  survives,
} from './builders.ts';
import { answersIn, expectAlive, expectAnswer, expectResult, expectThat } from './expectations.ts';

const ERROR_OBJECT = 'JSON-RPC 2.0 §5.1 Error object';
const REQUEST_OBJECT = 'JSON-RPC 2.0 §4 Request object';
const MESSAGES = '2025-11-25 Base Protocol §Messages';
const ERROR_RESPONSES = '2025-11-25 Base Protocol §Error Responses';

/** A ping that is written in an unusual way must be answered as any other. */
function readsPing(id: string, title: string, text: string): Check {
  return {
    id,
    title,
    severity: 'error',
    spec: MESSAGES,
    run: async (subject) => {
      const session = await subject.shared();
      session.wire.send(text);
      return expectResult(await session.answerTo(id));
    },
  };
}

const NEEDS = ['sessions'] as const;

export const malformedChecks = needing(NEEDS, [
  refusesMessage({
    id: 'message-empty',
    title: 'An empty object is answered with -32600',
    severity: 'warning',
    spec: ERROR_OBJECT,
    message: '{}',
  }),
  refusesMessage({
    id: 'message-without-method',
    title: 'A message with an id and nothing else is answered with -32600',
    severity: 'warning',
    spec: ERROR_OBJECT,
    message: '{"jsonrpc":"2.0","id":"nothing"}',
  }),
  refusesMessage({
    id: 'message-array',
    title: 'An array that is not a batch is answered with -32600',
    severity: 'warning',
    spec: 'JSON-RPC 2.0 §6 Batch',
    message: '[1]',
  }),
  refuses({
    id: 'method-empty',
    title: 'An empty method is refused',
    severity: 'error',
    spec: ERROR_OBJECT,
    method: '',
    params: {},
    codes: [-32601, -32600],
  }),
  refuses({
    id: 'method-case',
    title: 'Method names are case-sensitive',
    severity: 'error',
    spec: ERROR_OBJECT,
    method: 'PING',
    params: {},
    codes: [-32601],
  }),
  refuses({
    id: 'method-reserved',
    title: 'A method that begins with rpc. is answered with -32601',
    severity: 'error',
    spec: REQUEST_OBJECT,
    method: 'rpc.hawser',
    params: {},
    codes: [-32601],
  }),
  refuses({
    id: 'method-long',
    title: 'An unknown method with a long name is answered with -32601',
    severity: 'warning',
    spec: ERROR_OBJECT,
    method: 'x'.repeat(10_000),
    params: {},
    codes: [-32601],
  }),
  ...[
    { id: 'params-null', title: 'A request whose params are null is answered', params: null },
    { id: 'params-array', title: 'A request whose params are an array is answered', params: [] },
  ].map(
    ({ id, title, params }): Check => ({
      id,
      title,
      severity: 'warning',
      spec: 'JSON-RPC 2.0 §5 Response object',
      run: async (subject) => {
        return expectAnswer(await (await subject.shared()).ask('ping', params));
      },
    }),
  ),
  readsPing(
    'json-whitespace',
    'White space between the parts of a message is accepted',
    ' \t{ "jsonrpc" : "2.0" , "id" : "json-whitespace" ,\t"method" : "ping" } ',
  ),
  readsPing(
    'json-escapes',
    'Escaped characters in a method are read',
    '{"jsonrpc":"2.0","id":"json-escapes","method":"p\\u0069ng"}',
  ),
  readsPing(
    'json-member-order',
    'The order of members does not matter',
    '{"params":{},"method":"ping","id":"json-member-order","jsonrpc":"2.0"}',
  ),
  survives({
    id: 'json-duplicate-members',
    title: 'The connection survives a message with a member twice',
    severity: 'info',
    spec: MESSAGES,
    message: '{"jsonrpc":"2.0","id":"d1","id":"d2","method":"ping"}',
  }),
  survives({
    id: 'json-huge-number',
    title: 'The connection survives a number that is too large',
    severity: 'warning',
    spec: MESSAGES,
    message: '{"jsonrpc":"2.0","id":"huge","method":"ping","params":{"_meta":{"dev.hawser/n":1e400}}}',
  }),
  {
    id: 'json-proto-member',
    title: 'A member named __proto__ changes nothing',
    severity: 'warning',
    spec: MESSAGES,
    run: async (subject) => {
      const session = await subject.shared();
      session.wire.send('{"jsonrpc":"2.0","id":"proto","method":"ping","params":{"__proto__":{"id":"x","then":1}}}');
      return expectAnswer(await session.answerTo('proto')) ?? expectAlive(await session.settle());
    },
  },
  ignoresResponse({
    id: 'stray-error-ignored',
    title: 'An error for a request that the server never sent is ignored',
    severity: 'warning',
    spec: ERROR_RESPONSES,
    message: { jsonrpc: '2.0', id: 'never-asked-this', error: { code: -32603, message: 'nothing' } },
  }),
  ignores({
    id: 'request-without-id',
    title: 'A request method that is sent as a notification is not answered',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Notifications',
    needs: ['sessions', 'tools'],
    message: { jsonrpc: '2.0', method: 'tools/list', params: {} },
  }),
  {
    id: 'notification-with-id',
    title: 'A notification method that is sent as a request is answered',
    severity: 'warning',
    spec: 'JSON-RPC 2.0 §5 Response object',
    run: async (subject) => {
      const answer = await (await subject.shared()).ask('notifications/hawser-unknown', {});
      return expectAnswer(answer, 'an error with code -32601');
    },
  },
  survives({
    id: 'notification-bad-params',
    title: 'The connection survives a notification whose params are a string',
    severity: 'error',
    spec: MESSAGES,
    message: '{"jsonrpc":"2.0","method":"notifications/hawser-unknown","params":"text"}',
  }),
  {
    id: 'errors-survived',
    title: 'The connection survives 50 bad messages in a row',
    severity: 'error',
    spec: MESSAGES,
    run: async (subject) => {
      const session = await subject.fresh();
      for (let count = 0; count < 50; count += 1) session.wire.send('{"jsonrpc":"2.0","method":');
      return expectAlive(await session.settle());
    },
  },
  {
    id: 'burst-answered',
    title: '200 requests at once are all answered',
    severity: 'warning',
    spec: 'JSON-RPC 2.0 §5 Response object',
    run: async (subject) => {
      const session = await subject.fresh();
      session.patience = 5 * subject.patience;
      const ids = Array.from({ length: 200 }, (_, index) => `burst-${index}`);
      for (const id of ids) session.wire.send({ jsonrpc: '2.0', id, method: 'ping' });
      const answered = new Set(answersIn(await session.settle()).map(({ id }) => id));
      const missing = ids.filter((id) => !answered.has(id)).length;
      return expectThat(missing === 0, `${missing} of 200 without an answer`, 'an answer to each');
    },
  },
  {
    id: 'parse-error-id',
    title: 'A parse error has the id null, or none',
    severity: 'error',
    spec: 'JSON-RPC 2.0 §5 Response object',
    run: async (subject) => {
      const answers = answersIn(await (await subject.shared()).probe('{"jsonrpc":"2.0","id":"half","method":'));
      const error = answers.find((answer) => answer.error !== undefined);
      if (error === undefined) throw new NotApplicable('The server does not answer invalid JSON.');
      return expectThat(error.id === null || error.id === undefined, () => shown(error), 'the id null, or no id');
    },
  },
  {
    id: 'refused-id',
    title: 'The refusal of a bad request has its id, if that can be read',
    severity: 'info',
    spec: ERROR_RESPONSES,
    run: async (subject) => {
      const probe = await (await subject.shared()).probe('{"jsonrpc":"1.0","id":"readable","method":"ping"}');
      const error = answersIn(probe).find((answer) => answer.error !== undefined);
      if (error === undefined) throw new NotApplicable('The server does not answer the request.');
      return expectThat(error.id === 'readable', () => shown(error), 'the id "readable"');
    },
  },
  {
    id: 'error-message',
    title: 'The message of an error is not empty',
    severity: 'info',
    spec: ERROR_RESPONSES,
    run: async (subject) => {
      const answer = await (await subject.shared()).ask('hawser/no-such-method', {});
      if (answer.kind !== 'error') throw new NotApplicable('The server answers an unknown method without an error.');
      return answer.error?.message === ''
        ? { seen: shown(answer.error), expected: 'a sentence for people' }
        : undefined;
    },
  },
  {
    id: 'two-connections',
    title: 'Two connections at once get their own answers',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Result Responses',
    run: async (subject) => {
      const sessions = [await subject.fresh(), await subject.fresh()];
      for (const [index, { wire }] of sessions.entries()) {
        wire.send({ jsonrpc: '2.0', id: 'same', method: index === 0 ? 'ping' : 'hawser/no-such-method' });
      }
      const kinds = [await sessions[0]?.answerTo('same'), await sessions[1]?.answerTo('same')].map(
        (each) => each?.kind,
      );
      const isRight = kinds[0] === 'result' && (kinds[1] === 'error' || kinds[1] === 'status');
      return expectThat(isRight, kinds.join(' and '), 'a result on the first connection and an error on the second');
    },
  },
  {
    id: 'ping-between',
    title: 'ping is answered between other requests',
    severity: 'error',
    spec: '2025-11-25 Ping §Behavior Requirements',
    run: async (subject) => {
      const session = await subject.shared();
      return await firstFinding(['tools/list', 'hawser/no-such-method', 'resources/list'], async (method) => {
        session.wire.send({ jsonrpc: '2.0', id: `between-${method}`, method, params: {} });
        return expectResult(await session.ask('ping'), () => true, 'a result of ping');
      });
    },
  },
  answers({
    id: 'meta-progress-token',
    title: 'A progress token on a request without progress is accepted',
    severity: 'error',
    spec: '2025-11-25 Progress §Behavior Requirements',
    method: 'ping',
    params: { _meta: { progressToken: 'hawser-token' } },
  }),
]);
