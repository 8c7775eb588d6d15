import { NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import type { Subject } from '../subject.ts';
import type { EventStream, ServerSentEvent } from '../wires/server-sent-events.ts';
import { received } from '../wires/wire.ts';
import { needing } from './builders.ts';
import { expectThat } from './expectations.ts';
import { bare, expectStatus, httpNeeds, pingBody, pingWith, sessionHeaders, TRANSPORTS } from './http-builders.ts';

async function getStream(subject: Subject, headers: Record<string, string>): Promise<EventStream> {
  const stream = await subject.stream(bare('GET', headers));
  if (stream.status === 405) throw new NotApplicable('The server has no GET stream.');
  return stream;
}

/** A ping that is answered with an event stream. */
async function postStream(subject: Subject, headers: Record<string, string>, body = pingBody): Promise<EventStream> {
  const stream = await subject.stream({ method: 'POST', headers, body });
  if (!stream.isStream) throw new NotApplicable('The server answers without event streams.');
  return stream;
}

/** The events up to and with the answer. */
async function eventsOf(stream: EventStream, milliseconds: number): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for (;;) {
    const event = await stream.next(milliseconds);
    if (event === undefined) return events;
    events.push(event);
    if (isAnswer(event)) return events;
  }
}

/** The first such event until the server is quiet. */
async function eventWhere(
  stream: EventStream,
  { quiet }: Subject,
  isMeant: (event: ServerSentEvent) => boolean,
): Promise<ServerSentEvent | undefined> {
  for (;;) {
    const event = await stream.next(quiet);
    if (event === undefined || isMeant(event)) return event;
  }
}

function isAnswer({ data }: ServerSentEvent): boolean {
  const item = received(data);
  return item.kind === 'message' && item.message.method === undefined;
}

export const httpStreamChecks = needing(httpNeeds, [
  {
    id: 'http-stream-answer',
    title: 'An event stream carries the answer to its request',
    severity: 'error',
    spec: TRANSPORTS.sending,
    run: async (subject) => {
      const events = await eventsOf(await postStream(subject, await sessionHeaders(subject)), subject.patience);
      return expectThat(events.some(isAnswer), () => shown(events.map(({ data }) => data)), 'the answer to ping');
    },
  },
  {
    id: 'http-stream-ends',
    title: 'An event stream ends after the answer',
    severity: 'warning',
    spec: TRANSPORTS.sending,
    run: async (subject) => {
      const stream = await postStream(subject, await sessionHeaders(subject));
      await eventsOf(stream, subject.patience);
      await stream.next(subject.patience);
      return expectThat(stream.hasEnded, 'the stream stays open', 'its end');
    },
  },
  {
    id: 'http-stream-priming',
    title: 'A stream whose events have ids begins with one without data, by which clients can resume it',
    severity: 'warning',
    spec: TRANSPORTS.sending,
    run: async (subject) => {
      if (subject.protocolVersion < '2025-11-25') throw new NotApplicable('The server serves older revisions only.');
      const [first] = await eventsOf(await postStream(subject, await sessionHeaders(subject)), subject.patience);
      if (first?.id === undefined) throw new NotApplicable('The events have no ids.');
      return expectThat(first.data === '', () => shown(first), 'an id and empty data');
    },
  },
  {
    id: 'http-event-ids',
    title: 'No two events of a session have the same id',
    severity: 'error',
    spec: TRANSPORTS.resuming,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        const events = await eventsOf(await postStream(subject, headers), subject.patience);
        ids.push(...events.flatMap(({ id }) => (id === undefined || id === '' ? [] : [id])));
      }
      if (ids.length === 0) throw new NotApplicable('The events have no ids.');
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      return expectThat(twice === undefined, () => `the id ${shown(twice)} twice`, 'different ids');
    },
  },
  {
    id: 'http-resume-other-stream',
    title: 'A resumed stream replays nothing of other streams',
    severity: 'error',
    spec: TRANSPORTS.resuming,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      const ask = (id: string) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
      const [first] = await eventsOf(await postStream(subject, headers, ask('resumed')), subject.patience);
      if (!first?.id) throw new NotApplicable('The events have no ids.');
      await eventsOf(await postStream(subject, headers, ask('other')), subject.patience);
      const stream = await getStream(subject, { ...headers, 'Last-Event-ID': first.id });
      const wrong = await eventWhere(stream, subject, ({ data }) => data.includes('"other"'));
      return wrong && { seen: shown(wrong), expected: 'events of the first stream only' };
    },
  },
  {
    id: 'http-resume-unknown',
    title: 'An unknown Last-Event-ID does not break the server',
    severity: 'warning',
    spec: TRANSPORTS.resuming,
    run: async (subject) => {
      const headers = { ...(await sessionHeaders(subject)), 'Last-Event-ID': 'hawser-no-such-event' };
      const { status } = await getStream(subject, headers);
      return expectThat(status < 500, `HTTP ${status}`, 'a stream, or a refusal from 400 on');
    },
  },
  {
    id: 'http-get-answers',
    title: 'A GET stream carries no answers to POSTs',
    severity: 'error',
    spec: TRANSPORTS.listening,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      const stream = await getStream(subject, headers);
      await subject.http(pingWith(headers));
      const wrong = await eventWhere(stream, subject, isAnswer);
      return wrong && { seen: shown(wrong.data), expected: 'answers on the responses to their requests' };
    },
  },
  {
    id: 'http-get-twice',
    title: 'A second GET stream can be opened',
    severity: 'info',
    spec: TRANSPORTS.multiple,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      if ((await getStream(subject, headers)).status !== 200) throw new NotApplicable('The server has no GET stream.');
      const { status } = await getStream(subject, headers);
      return expectThat(status === 200, `HTTP ${status}`, 'HTTP 200');
    },
  },
  {
    id: 'http-get-again',
    title: 'After a GET stream was closed, the next one can be opened',
    severity: 'error',
    spec: TRANSPORTS.listening,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      const first = await getStream(subject, headers);
      first.close();
      // A server may need a moment to notice.
      await new Promise((resolve) => setTimeout(resolve, 5 * subject.quiet));
      const { status } = await getStream(subject, headers);
      return expectThat(status === first.status, `HTTP ${status}`, `HTTP ${first.status}`);
    },
  },
  {
    id: 'http-get-during',
    title: 'POSTs are answered while a GET stream is open',
    severity: 'error',
    spec: TRANSPORTS.multiple,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      await getStream(subject, headers);
      return expectStatus(await subject.http(pingWith(headers)), [200]);
    },
  },
  {
    id: 'http-disconnect',
    title: 'A client that disconnects before the answer does not break the session',
    severity: 'error',
    spec: TRANSPORTS.sending,
    run: async (subject) => {
      const headers = await sessionHeaders(subject);
      const stream = await subject.stream(pingWith(headers));
      stream.close();
      return expectStatus(await subject.http(pingWith(headers)), [200]);
    },
  },
]);
