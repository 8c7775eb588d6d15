import { isObject } from '@hawser/unknown-values/objects';
import { NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import { ignores, ignoresResponse, needing, refuses, refusesMessage, survives } from './builders.ts';
import {
  answersIn,
  expectAlive,
  expectAnswer,
  expectError,
  expectErrorAfter,
  expectOneEach,
  expectThat,
} from './expectations.ts';

const JSON_RPC_ERRORS = 'JSON-RPC 2.0 §5.1 Error object';
const MESSAGES = '2025-11-25 Base Protocol §Messages';
const REQUESTS = '2025-11-25 Base Protocol §Requests';
const RESPONSES = '2025-11-25 Base Protocol §Responses';
const NOTIFICATIONS = '2025-11-25 Base Protocol §Notifications';

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const NEEDS = ['sessions'] as const;

export const messageChecks = needing(NEEDS, [
  {
    id: 'parse-error-answered',
    title: 'Invalid JSON is answered with a parse error',
    severity: 'warning',
    spec: JSON_RPC_ERRORS,
    run: async (subject) => {
      const probe = await (await subject.shared()).probe('{"jsonrpc":"2.0","id":1,"method":');
      return expectErrorAfter(probe, [-32700], 'an error with code -32700');
    },
  },
  survives({
    id: 'parse-error-survived',
    title: 'The connection survives invalid JSON',
    severity: 'error',
    spec: JSON_RPC_ERRORS,
    message: 'this is not JSON',
  }),
  survives({
    id: 'non-object-survived',
    title: 'The connection survives JSON that is not a message',
    severity: 'error',
    spec: MESSAGES,
    message: '42',
  }),
  refusesMessage({
    id: 'non-object-answered',
    title: 'JSON that is not a message is answered with -32600',
    severity: 'warning',
    spec: JSON_RPC_ERRORS,
    message: '"hello"',
  }),
  refusesMessage({
    id: 'jsonrpc-version',
    title: 'A request with another "jsonrpc" is refused',
    severity: 'warning',
    spec: MESSAGES,
    message: '{"jsonrpc":"1.0","id":"old","method":"ping"}',
  }),
  refusesMessage({
    id: 'jsonrpc-missing',
    title: 'A request without "jsonrpc" is refused',
    severity: 'warning',
    spec: MESSAGES,
    message: '{"id":"none","method":"ping"}',
  }),
  refusesMessage({
    id: 'method-type',
    title: 'A request whose method is not a string is refused',
    severity: 'warning',
    spec: REQUESTS,
    message: '{"jsonrpc":"2.0","id":"m","method":1}',
  }),
  refusesMessage({
    id: 'params-type',
    title: 'A request whose params are a string is refused',
    severity: 'warning',
    spec: 'JSON-RPC 2.0 §4.2 Parameter Structures',
    message: '{"jsonrpc":"2.0","id":"p","method":"ping","params":"bar"}',
  }),
  refuses({
    id: 'unknown-method',
    title: 'An unknown method is answered with -32601',
    severity: 'error',
    spec: JSON_RPC_ERRORS,
    method: 'hawser/no-such-method',
    params: {},
    codes: [-32601],
  }),
  {
    id: 'unknown-method-prototype',
    title: 'A method named as a member of every object is unknown',
    severity: 'error',
    spec: JSON_RPC_ERRORS,
    run: async (subject) => {
      const session = await subject.shared();
      for (const method of ['toString', '__proto__', 'constructor']) {
        const finding = expectError(await session.ask(method, {}), [-32601]);
        if (finding !== undefined) return { ...finding, seen: `${method}: ${finding.seen}` };
      }
      return undefined;
    },
  },
  {
    id: 'error-shape',
    title: 'An error has an integer as code and a string as message',
    severity: 'error',
    spec: RESPONSES,
    run: async (subject) => {
      const answer = await (await subject.shared()).ask('hawser/no-such-method', {});
      if (answer.kind !== 'error') throw new NotApplicable('The server answers an unknown method without an error.');
      const { code, message } = isObject(answer.error) ? answer.error : {};
      return expectThat(
        Number.isInteger(code) && typeof message === 'string',
        () => shown(answer.error),
        'an integer "code" and a string "message"',
      );
    },
  },
  {
    id: 'answer-shape',
    title: 'An answer has "jsonrpc": "2.0" and either a result or an error',
    severity: 'error',
    spec: RESPONSES,
    run: async (subject) => {
      const session = await subject.shared();
      for (const method of ['ping', 'hawser/no-such-method']) {
        const answer = await session.ask(method, {});
        if (answer.kind !== 'result' && answer.kind !== 'error') continue;
        const { message } = answer;
        const isWhole = message.jsonrpc === '2.0' && (message.result === undefined) !== (message.error === undefined);
        if (!isWhole) return { seen: shown(message), expected: '"jsonrpc": "2.0" and one of "result" and "error"' };
      }
      return undefined;
    },
  },
  {
    id: 'one-answer',
    title: 'Each of many requests at once gets exactly one answer',
    severity: 'error',
    spec: RESPONSES,
    run: async (subject) => {
      const session = await subject.shared();
      const ids = Array.from({ length: 20 }, (_, index) => `many-${index}`);
      for (const id of ids) session.wire.send({ jsonrpc: '2.0', id, method: 'ping' });
      return expectOneEach(ids, answersIn(await session.settle()), 'pings');
    },
  },
  ignores({
    id: 'notification-unanswered',
    title: 'An unknown notification is not answered',
    severity: 'error',
    spec: NOTIFICATIONS,
    message: { jsonrpc: '2.0', method: 'notifications/hawser-unknown' },
  }),
  ignoresResponse({
    id: 'stray-answer-ignored',
    title: 'An answer to a request that the server never sent is ignored',
    severity: 'warning',
    spec: RESPONSES,
    message: { jsonrpc: '2.0', id: 'never-asked', result: {} },
  }),
  ignores({
    id: 'cancel-unknown',
    title: 'The cancellation of an unknown request is ignored',
    severity: 'error',
    spec: '2025-11-25 Cancellation §Error Handling',
    message: {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'no-such-request', reason: 'test' },
    },
  }),
  ignores({
    id: 'cancel-malformed',
    title: 'A cancellation without a request id is ignored',
    severity: 'error',
    spec: '2025-11-25 Cancellation §Error Handling',
    message: { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} },
  }),
  {
    id: 'large-message',
    title: 'A message of 1 MiB is answered, and the connection survives it',
    severity: 'warning',
    spec: MESSAGES,
    run: async (subject) => {
      const session = await subject.shared();
      const answer = await session.ask('ping', { _meta: { padding: 'x'.repeat(1024 * 1024) } });
      return expectAnswer(answer) ?? expectAlive(await session.settle());
    },
  },
  survives({
    id: 'deep-message',
    title: 'The connection survives a message nested 10 000 levels deep',
    severity: 'warning',
    spec: MESSAGES,
    message: `{"jsonrpc":"2.0","id":"deep","method":"ping","params":{"_meta":${nested(10_000)}}}`,
  }),
  {
    id: 'unknown-members',
    title: 'Unknown members of params and _meta are tolerated',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §_meta',
    run: async (subject) => {
      const answer = await (await subject.shared()).ask('ping', { _meta: { 'dev.hawser/check': [1] }, unknown: true });
      return expectThat(answer.kind === 'result', () => inWords(answer), 'a result');
    },
  },
]);
