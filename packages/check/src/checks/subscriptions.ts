import { isObject, type Members, memberAt } from '@hawser/unknown-values/objects';
import { type Check, type Finding, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import { STATELESS, statelessParams } from '../params.ts';
import { type Answer, asAnswer, type Session } from '../session.ts';
import type { Subject } from '../subject.ts';
import { POST_HEADERS } from '../wires/http.ts';
import { needing, type Row } from './builders.ts';
import { expectError, expectResult, expectThat } from './expectations.ts';
import { askStateless } from './stateless.ts';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const ACKNOWLEDGMENT = '2026-07-28 Subscriptions §Acknowledgment';
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const EVERYTHING = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** The id of the subscription that a notification belongs to. */
function subscriptionIn(params: unknown): unknown {
  return memberAt(params, '_meta', SUBSCRIPTION_ID);
}

interface Listening {
  readonly session: Session;
  /** The messages up to the acknowledgment, including it; or the answer instead. */
  readonly messages: readonly Members[];
  readonly answer: Answer | undefined;
}

function listen(session: Session, id: unknown, notifications: object): void {
  session.wire.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: statelessParams({ notifications }) });
}

/** Opens a subscription, on a connection of its own. */
async function listening(subject: Subject, id: unknown, notifications: object): Promise<Listening> {
  const session = await subject.bare();
  listen(session, id, notifications);
  return await acknowledgment(session, id);
}

async function acknowledgment(session: Session, id: unknown): Promise<Listening> {
  const messages: Members[] = [];
  // That of the session, which has time for the start of the server.
  const until = performance.now() + session.patience;
  for (;;) {
    const item = await session.wire.next(Math.max(0, until - performance.now()));
    if (item === undefined) return { session, messages, answer: { kind: 'silence' } };
    if (item.kind === 'end' || item.kind === 'status') return { session, messages, answer: item };
    if (item.kind !== 'message') continue;
    const { message } = item;
    if (message.id === id && message.method === undefined) {
      const answer = asAnswer(message);
      if (answer.kind === 'error' && answer.code === -32601)
        throw new NotApplicable('The server has no subscriptions/listen.');
      return { session, messages, answer };
    }
    messages.push(message);
    if (message.method === ACKNOWLEDGED) return { session, messages, answer: undefined };
  }
}

/** A rule for the acknowledgment of a subscription to everything. */
function acknowledges({
  flawOf,
  subscription = 'listening',
  ...facts
}: Row<{ flawOf: (params: unknown, subject: Subject) => Finding | undefined; subscription?: unknown }>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const { messages, answer } = await listening(subject, subscription, EVERYTHING);
      if (answer !== undefined) return { seen: inWords(answer), expected: ACKNOWLEDGED };
      return flawOf(messages.at(-1)?.params, subject);
    },
  };
}

const NEEDS = ['stateless'] as const;

export const subscriptionChecks = needing(NEEDS, [
  {
    id: 'listen-acknowledged',
    title: 'The first message of a subscription acknowledges it',
    severity: 'error',
    spec: ACKNOWLEDGMENT,
    run: async (subject) => {
      const { messages, answer } = await listening(subject, 'first', EVERYTHING);
      const own = messages.filter(({ params }) => subscriptionIn(params) === 'first');
      if (answer === undefined && own[0]?.method === ACKNOWLEDGED) return undefined;
      // Without an id, listen-id reports it.
      return expectThat(
        answer === undefined && own.length === 0,
        () => (answer === undefined ? shown(own[0]) : inWords(answer)),
        ACKNOWLEDGED,
      );
    },
  },
  acknowledges({
    id: 'listen-id',
    title: 'The acknowledgment carries the id of its subscription',
    severity: 'error',
    spec: ACKNOWLEDGMENT,
    flawOf: (params) =>
      subscriptionIn(params) === 'listening'
        ? undefined
        : { seen: shown(params), expected: `"${SUBSCRIPTION_ID}": "listening" in _meta` },
  }),
  acknowledges({
    id: 'listen-id-zero',
    title: 'The acknowledgment of a subscription with the id 0 carries it as a number',
    severity: 'error',
    spec: '2026-07-28 Subscriptions §Receiving Notifications',
    flawOf: (params) =>
      subscriptionIn(params) === 0 ? undefined : { seen: shown(params), expected: `"${SUBSCRIPTION_ID}": 0 in _meta` },
    subscription: 0,
  }),
  acknowledges({
    id: 'listen-filter',
    title: 'The acknowledgment lists only what was asked for',
    severity: 'error',
    spec: ACKNOWLEDGMENT,
    flawOf: (params) => {
      const notifications = memberAt(params, 'notifications');
      const isRight =
        isObject(notifications) && Object.keys(notifications).every((key) => Object.hasOwn(EVERYTHING, key));
      return expectThat(isRight, () => shown(params), `a part of ${shown(EVERYTHING)}`);
    },
  }),
  acknowledges({
    id: 'listen-unsupported',
    title: 'The acknowledgment leaves out lists that do not change',
    severity: 'warning',
    spec: ACKNOWLEDGMENT,
    flawOf: (params, { discovered }) => {
      const wrong = (['tools', 'prompts', 'resources'] as const).find(
        (feature) =>
          memberAt(params, 'notifications', `${feature}ListChanged`) === true &&
          memberAt(discovered, 'capabilities', feature, 'listChanged') !== true,
      );
      return wrong && { seen: `${wrong}ListChanged`, expected: `"listChanged": true in the capability "${wrong}"` };
    },
  }),
  {
    id: 'listen-nothing',
    title: 'A subscription to nothing gets nothing but its acknowledgment',
    severity: 'error',
    spec: '2026-07-28 Subscriptions §Opening a Stream',
    run: async (subject) => {
      const { session, answer } = await listening(subject, 'nothing', {});
      if (answer !== undefined) throw new NotApplicable('The server refuses it.');
      const item = await session.wire.next(subject.quiet);
      return item?.kind === 'message' && item.message.method !== undefined
        ? { seen: shown(item.message), expected: 'no notification' }
        : undefined;
    },
  },
  {
    id: 'listen-two',
    title: 'Two subscriptions at once are acknowledged with their own ids',
    severity: 'error',
    spec: '2026-07-28 Subscriptions §Multiple Concurrent Subscriptions',
    run: async (subject) => {
      const session = await subject.bare();
      for (const id of ['a', 'b']) listen(session, id, { toolsListChanged: true });
      const ids: unknown[] = [];
      for (let count = 0; count < 2; count += 1) {
        const { messages } = await acknowledgment(session, 'a');
        ids.push(subscriptionIn(messages.at(-1)?.params));
      }
      return expectThat(ids.includes('a') && ids.includes('b'), () => shown(ids), 'one of each');
    },
  },
  {
    id: 'listen-without-filter',
    title: 'subscriptions/listen without a filter is answered with -32602',
    severity: 'warning',
    spec: '2026-07-28 Subscriptions §Opening a Stream',
    run: async (subject) => {
      const { answer } = await listening(subject, 'probe', EVERYTHING);
      if (answer !== undefined) throw new NotApplicable('The server has no subscriptions.');
      return expectError(await askStateless(subject, 'subscriptions/listen', statelessParams()), [-32602]);
    },
  },
  {
    id: 'listen-cancelled',
    title: 'A subscription ends when it is cancelled, and the connection lives on',
    severity: 'error',
    spec: '2026-07-28 Subscriptions §Cancellation',
    run: async (subject) => {
      if (subject.target.kind === 'http') throw new NotApplicable('Over HTTP, closing the stream cancels it.');
      const { session } = await listening(subject, 'ending', EVERYTHING);
      session.wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'ending' } });
      return expectResult(await session.ask('server/discover', statelessParams()));
    },
  },
  {
    id: 'listen-stays-open',
    title: 'Other requests are answered while a subscription is open',
    severity: 'error',
    spec: '2026-07-28 Subscriptions §Opening a Stream',
    run: async (subject) => {
      const { session } = await listening(subject, 'open', EVERYTHING);
      const answer = await session.ask('server/discover', statelessParams());
      return expectResult(answer);
    },
  },
  {
    id: 'listen-stream',
    title: 'A subscription over HTTP is an event stream',
    severity: 'error',
    spec: '2026-07-28 Streamable HTTP §Receiving Messages',
    needs: ['stateless', 'http'],
    run: async (subject) => {
      const { status, isStream, headers } = await openOverHttp(subject);
      return expectThat(
        status === 200 && isStream,
        `HTTP ${status} ${headers['content-type'] ?? ''}`,
        'HTTP 200 with text/event-stream',
      );
    },
  },
  {
    id: 'listen-buffering',
    title: 'An event stream tells proxies not to buffer it',
    severity: 'warning',
    spec: '2026-07-28 Streamable HTTP §Receiving Messages',
    needs: ['stateless', 'http'],
    run: async (subject) => {
      const { isStream, headers } = await openOverHttp(subject);
      if (!isStream) throw new NotApplicable('The server opens no stream.');
      return expectThat(headers['x-accel-buffering'] === 'no', 'no X-Accel-Buffering', 'X-Accel-Buffering: no');
    },
  },
]);

async function openOverHttp(subject: Subject) {
  const stream = await subject.stream({
    method: 'POST',
    headers: { ...POST_HEADERS, 'MCP-Protocol-Version': STATELESS, 'Mcp-Method': 'subscriptions/listen' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'stream',
      method: 'subscriptions/listen',
      params: statelessParams({ notifications: EVERYTHING }),
    }),
  });
  if (stream.status === 404) throw new NotApplicable('The server has no subscriptions/listen.');
  return stream;
}
