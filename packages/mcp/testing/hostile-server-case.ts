import { Client } from '../src/client/client.ts';
import type { ClientSession } from '../src/client/session.ts';
import { Server } from '../src/server/server.ts';
import { connectHttp } from '../src/transports/http/client/connect.ts';
import { memoryPair } from '../src/transports/memory/pair.ts';
import { openHostileEndpoint } from './hostile-http-server.ts';
import { hostilePeer } from './hostile-peer.ts';
import { Random } from './random.ts';
import { withoutEscapes } from './without-escapes.ts';

const TIMEOUT_MS = 80;
const MAX_TIMEOUT_MS = 250;
/** For a machine that is busy with other things, and for what takes a second by design. */
const SLACK_MS = 8000;

/**
 * Lets a client talk to a hostile server, over HTTP or in memory. Throws unless every call settles in time with a result
 * or a clear error, nothing escapes as an exception or rejection, and the client can still be used.
 */
export async function runHostileServerCase(seed: number): Promise<void> {
  try {
    await withoutEscapes('the client', () => attack(new Random(seed)));
  } catch (error) {
    throw new Error(`Hostile server case ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

async function attack(random: Random): Promise<void> {
  const endpoint = random.chance(0.6) ? await openHostileEndpoint(random) : undefined;
  const reported: Error[] = [];
  const client = new Client(
    { name: 'c', version: '1' },
    {
      ...random.pick([{}, { negotiation: 'initialize' as const }, { negotiation: 'discover' as const }]),
      timeout: TIMEOUT_MS,
      probeTimeout: TIMEOUT_MS,
      limits: { maxListPages: 20, maxSchemaMs: 40 },
      elicit: () => ({ action: 'accept', content: {} }),
      createMessage: () => ({ role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' }),
      roots: () => [{ uri: 'file:///x' }],
      onError: (error) => reported.push(error),
    },
  );
  client.onNotification('notifications/tools/list_changed', () => {});
  try {
    const connection =
      endpoint === undefined
        ? hostilePeer(random)
        : connectHttp(endpoint.url, { ...random.pick([{}, { fetch }]), acceptTimeout: 200 });
    const session = await settled('connect', client.connect(connection, { maxTimeout: MAX_TIMEOUT_MS }));
    if (session !== undefined) await callEverything(session);
    await settled('close', client.close());
    for (const error of reported) requireClear('onError', error);
    await useWithGoodServer(client);
  } finally {
    await endpoint?.close();
  }
}

async function callEverything(session: ClientSession): Promise<void> {
  const options = { maxTimeout: MAX_TIMEOUT_MS };
  await settled('listTools', session.listTools(options));
  const ref = { type: 'ref/prompt' as const, name: 'p' };
  const calls: [string, Promise<unknown>][] = [
    ['callTool', session.callTool('t', {}, { ...options, onProgress: () => {} })],
    ['callTool', session.callTool('u', {}, options)],
    ['listPrompts', session.listPrompts(options)],
    ['getPrompt', session.getPrompt('p', {}, options)],
    ['listResources', session.listResources(options)],
    ['listResourceTemplates', session.listResourceTemplates(options)],
    ['readResource', session.readResource('a:b', options)],
    ['complete', session.complete({ ref, argument: { name: 'a', value: '' } }, options)],
    ['subscribe', session.subscribe('a:b', options)],
    ['setLogLevel', session.setLogLevel('info', options)],
    ['ping', session.ping(options)],
  ];
  await Promise.all(calls.map(([name, call]) => settled(name, call)));
}

/** The value of a promise, or undefined when it rejects with a clear error. Throws when it does neither in time. */
async function settled<T>(what: string, promise: Promise<T>): Promise<T | undefined> {
  let late: NodeJS.Timeout | undefined;
  const expired = new Promise<'late'>((resolve) => {
    late = setTimeout(() => resolve('late'), MAX_TIMEOUT_MS + SLACK_MS);
  });
  const outcome = await Promise.race([
    promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
    expired,
  ]);
  clearTimeout(late);
  if (outcome === 'late') throw new Error(`${what} did not settle in time`);
  if ('value' in outcome) return outcome.value;
  requireClear(what, outcome.error);
  return undefined;
}

function requireClear(what: string, error: unknown): void {
  if (!(error instanceof Error) || error.message === '') {
    throw new Error(`${what} failed without a clear error`, { cause: error });
  }
  // These are bugs of the client.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) {
    throw new Error(`${what} failed with ${error.stack}`);
  }
}

async function useWithGoodServer(client: Client): Promise<void> {
  const server = new Server({ name: 's', version: '1' });
  server.tool({ name: 'echo' }, () => 'still here');
  const [ours, theirs] = memoryPair();
  server.connect(ours);
  const session = await client.connect(theirs, { timeout: SLACK_MS });
  const { content } = await session.callTool('echo', {}, { timeout: SLACK_MS });
  await session.close();
  const [block] = content;
  if (block?.type !== 'text' || block.text !== 'still here') throw new Error('the client can no longer be used');
}
