import { listOrEmpty, type Members, memberAt } from '@hawser/unknown-values/objects';
import { initializeParams, NEWEST } from './params.ts';
import type { Subject } from './subject.ts';
import type { HttpWire } from './wires/http.ts';

/** What a server sent without being asked, in a session that uses most of what it offers. */
export interface ObservedSession {
  /** Between the answer to `initialize` and `notifications/initialized`. */
  readonly beforeInitialized: readonly Members[];
  /** Requests and notifications of the server, in the whole session. */
  readonly unasked: readonly Members[];
  /** Those that came after the client had set the log level to error. */
  readonly sinceLevel: readonly Members[];
  /** Answers to our requests, each with the id that it should have. */
  readonly answers: readonly { readonly id: string; readonly message: Members }[];
  /** How often each id was answered. */
  readonly answerCounts: ReadonlyMap<unknown, number>;
}

/** The capabilities that the client declares. */
export type ObservedKind = 'no capabilities' | 'all capabilities';

const ALL_CAPABILITIES = { roots: { listChanged: true }, sampling: {}, elicitation: {} };

/** Goes through the server once. Checks look at what it sent. */
export function observedSession(subject: Subject, kind: ObservedKind): Promise<ObservedSession> {
  return subject.once(`observed with ${kind}`, () => observe(subject, kind));
}

async function observe(subject: Subject, kind: ObservedKind): Promise<ObservedSession> {
  const session = await subject.bare();
  const { wire } = session;
  const messages: Members[] = [];
  const answers: { id: string; message: Members }[] = [];
  const ask = async (method: string, params: object = {}) => {
    const id = `observed-${answers.length}`;
    wire.send({ jsonrpc: '2.0', id, method, params });
    const answer = await session.answerTo(id, messages);
    if (answer.kind === 'result' || answer.kind === 'error') {
      answers.push({ id, message: answer.message });
      messages.push(answer.message);
    }
  };
  const listen = async (milliseconds: number) => {
    const until = performance.now() + milliseconds;
    for (;;) {
      const item = await wire.next(Math.max(0, until - performance.now()));
      if (item === undefined || item.kind === 'end') return;
      if (item.kind !== 'message') continue;
      messages.push(item.message);
      const { id, method } = item.message;
      if (method === 'ping') wire.send({ jsonrpc: '2.0', id, result: {} });
      // A client may refuse anything.
      else if (method !== undefined && id !== undefined)
        wire.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Not now' } });
    }
  };

  await ask('initialize', initializeParams(NEWEST, kind === 'no capabilities' ? {} : ALL_CAPABILITIES));
  session.patience = subject.patience;
  await listen(subject.quiet);
  const beforeInitialized = messages.filter(({ method }) => method !== undefined);
  wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await wire.flushed(subject.patience);
  if ('listen' in wire) await (wire as HttpWire).listen().catch(() => {});
  await listen(subject.quiet);
  const { tools, resources, prompts, logging } = subject.capabilities;
  if (logging !== undefined) await ask('logging/setLevel', { level: 'error' });
  const levelAt = messages.length;
  if (tools !== undefined) await ask('tools/list');
  if (resources !== undefined) {
    await ask('resources/list');
    await ask('resources/templates/list');
    const uri = memberAt(listOrEmpty(memberAt(answers.at(-2)?.message, 'result', 'resources'))[0], 'uri');
    if (typeof uri === 'string') await ask('resources/read', { uri });
  }
  if (prompts !== undefined) await ask('prompts/list');
  await ask('hawser/no-such-method');
  await ask('ping');
  await listen(subject.quiet);

  const answerCounts = new Map<unknown, number>();
  for (const { id, method } of messages) {
    if (method === undefined) answerCounts.set(id, (answerCounts.get(id) ?? 0) + 1);
  }
  const unaskedIn = (some: readonly Members[]) => some.filter(({ method }) => method !== undefined);
  return {
    beforeInitialized,
    unasked: unaskedIn(messages),
    sinceLevel: unaskedIn(messages.slice(levelAt)),
    answers,
    answerCounts,
  };
}
