import { isObject, type Members, memberAt } from '@hawser/unknown-values/objects';
import type { Check } from '../check.ts';
import { shown } from '../in-words.ts';
import { type ObservedKind, type ObservedSession, observedSession } from '../observed-session.ts';
import type { Row } from './builders.ts';
import { duplicatesIn, isOneOf } from './expectations.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const OPERATION = '2025-11-25 Lifecycle §Operation';

/** A rule for what the server sends without being asked. */
function sends({
  expected,
  kind = 'no capabilities',
  wrongIn,
  ...facts
}: Row<{
  expected: string;
  kind?: ObservedKind;
  wrongIn: (session: ObservedSession, capabilities: Members) => unknown;
}>): Check {
  return {
    needs: ['sessions'],
    ...facts,
    run: async (subject) => {
      const wrong = wrongIn(await observedSession(subject, kind), subject.capabilities);
      return wrong === undefined ? undefined : { seen: shown(wrong), expected };
    },
  };
}

const isRequest = ({ method, id }: Members) => method !== undefined && id !== undefined;
const sent = (method: string) => (session: ObservedSession) =>
  session.unasked.find((message) => message.method === method);

export const unaskedChecks: readonly Check[] = [
  sends({
    id: 'requests-before-initialized',
    title: 'Before notifications/initialized the server requests nothing but ping',
    severity: 'warning',
    spec: '2025-11-25 Lifecycle §Initialization',
    kind: 'all capabilities',
    expected: 'ping and logging only',
    wrongIn: ({ beforeInitialized }) =>
      beforeInitialized.find((message) => isRequest(message) && message.method !== 'ping'),
  }),
  sends({
    id: 'roots-undeclared',
    title: 'A client without roots is not asked for them',
    severity: 'error',
    spec: OPERATION,
    expected: 'no roots/list, because the client has not declared roots',
    wrongIn: sent('roots/list'),
  }),
  sends({
    id: 'sampling-undeclared',
    title: 'A client without sampling is not asked for messages',
    severity: 'error',
    spec: OPERATION,
    expected: 'no sampling/createMessage, because the client has not declared sampling',
    wrongIn: sent('sampling/createMessage'),
  }),
  sends({
    id: 'elicitation-undeclared',
    title: 'A client without elicitation is asked nothing',
    severity: 'error',
    spec: OPERATION,
    expected: 'no elicitation/create, because the client has not declared elicitation',
    wrongIn: sent('elicitation/create'),
  }),
  sends({
    id: 'server-request-ids',
    title: 'Each request of the server has an id of its own, a string or an integer',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Requests',
    kind: 'all capabilities',
    expected: 'ids that are strings or integers, and differ',
    wrongIn: ({ unasked }) => {
      const requests = unasked.filter(isRequest);
      const wrong = requests.find(({ id }) => typeof id !== 'string' && !Number.isInteger(id));
      return wrong ?? duplicatesIn(requests.map(({ id }) => id))[0];
    },
  }),
  sends({
    id: 'server-messages-shape',
    title: 'Each message of the server has "jsonrpc": "2.0", and params that are an object',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Messages',
    kind: 'all capabilities',
    expected: '"jsonrpc": "2.0", and an object as params if there are any',
    wrongIn: ({ unasked }) =>
      unasked.find(({ jsonrpc, params }) => jsonrpc !== '2.0' || (params !== undefined && !isObject(params))),
  }),
  sends({
    id: 'result-type',
    title: 'Each result is an object',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Result Responses',
    expected: 'an object',
    wrongIn: ({ answers }) =>
      answers.find(({ message }) => message.error === undefined && !isObject(message.result))?.message,
  }),
  sends({
    id: 'answers-once',
    title: 'No request of a session is answered twice',
    severity: 'error',
    spec: 'JSON-RPC 2.0 §5 Response object',
    expected: 'one answer to each request',
    wrongIn: ({ answerCounts }) => [...answerCounts].find(([, count]) => count > 1)?.[0],
  }),
  sends({
    id: 'answers-unasked',
    title: 'Nothing is answered that was not asked',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Responses',
    expected: 'answers to requests only',
    wrongIn: ({ answers, answerCounts }) => {
      const asked = new Set<unknown>(answers.map(({ id }) => id));
      return [...answerCounts.keys()]
        .filter((id) => !asked.has(id))
        .map((id) => `an answer with the id ${shown(id)}`)[0];
    },
  }),
  sends({
    id: 'result-or-error',
    title: 'No answer has both a result and an error',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Responses',
    expected: 'one of "result" and "error"',
    wrongIn: ({ answers }) =>
      answers.find(({ message }) => message.result !== undefined && message.error !== undefined)?.message,
  }),
  sends({
    id: 'log-declared',
    title: 'A server that does not declare logging sends no log messages',
    severity: 'error',
    spec: '2025-11-25 Logging §Capabilities',
    expected: 'the capability "logging"',
    wrongIn: (session, { logging }) => (logging === undefined ? sent('notifications/message')(session) : undefined),
  }),
  sends({
    id: 'log-shape',
    title: 'A log message has a level of RFC 5424 and data',
    severity: 'error',
    spec: '2025-11-25 Logging §Log Message Notifications',
    expected: `"data", a "level" of ${LEVELS.join(', ')}, and if given a string "logger"`,
    wrongIn: ({ unasked }) =>
      unasked.find(
        ({ method, params }) =>
          method === 'notifications/message' &&
          !(
            isOneOf(LEVELS, memberAt(params, 'level')) &&
            memberAt(params, 'data') !== undefined &&
            ['string', 'undefined'].includes(typeof memberAt(params, 'logger'))
          ),
      ),
  }),
  sends({
    id: 'log-threshold',
    title: 'After logging/setLevel with error nothing below is logged',
    severity: 'warning',
    spec: '2025-11-25 Logging §Message Flow',
    needs: ['sessions', 'logging'],
    expected: 'messages of level error and above',
    wrongIn: ({ sinceLevel }) =>
      sinceLevel.find(
        ({ method, params }) =>
          method === 'notifications/message' &&
          isOneOf(LEVELS.slice(0, LEVELS.indexOf('error')), memberAt(params, 'level')),
      ),
  }),
  ...(['tools', 'resources', 'prompts'] as const).map((feature) =>
    sends({
      id: `${feature}-list-changed-declared`,
      title: `notifications/${feature}/list_changed is sent only if listChanged is declared`,
      severity: 'warning',
      spec: `2025-11-25 ${feature[0]?.toUpperCase()}${feature.slice(1)} §List Changed Notification`,
      expected: `"listChanged": true in the capability "${feature}"`,
      wrongIn: (session, capabilities) =>
        memberAt(capabilities, feature, 'listChanged') === true
          ? undefined
          : sent(`notifications/${feature}/list_changed`)(session),
    }),
  ),
  sends({
    id: 'updated-unsubscribed',
    title: 'A client that has not subscribed gets no notifications/resources/updated',
    severity: 'warning',
    spec: '2025-11-25 Resources §Subscriptions',
    expected: 'updates of resources that the client has subscribed to',
    wrongIn: sent('notifications/resources/updated'),
  }),
  sends({
    id: 'progress-without-token',
    title: 'A client that sent no progress token gets no progress',
    severity: 'error',
    spec: '2025-11-25 Progress §Behavior Requirements',
    expected: 'no notifications/progress',
    wrongIn: sent('notifications/progress'),
  }),
  sends({
    id: 'cancelled-never-asked',
    title: 'The server cancels only what it requested',
    severity: 'error',
    spec: '2025-11-25 Cancellation §Behavior Requirements',
    kind: 'all capabilities',
    expected: 'a requestId of a request of the server',
    wrongIn: ({ unasked }) => {
      const requested = new Set(unasked.filter(isRequest).map(({ id }) => id));
      return unasked.find(
        ({ method, params }) => method === 'notifications/cancelled' && !requested.has(memberAt(params, 'requestId')),
      );
    },
  }),
];
