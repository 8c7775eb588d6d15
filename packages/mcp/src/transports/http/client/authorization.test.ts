import { afterEach, expect, it } from 'vitest';
import { failOnEscapes } from '../../../../testing/fail-on-escapes.ts';
import { sender } from '../../../../testing/http-client.ts';
import { ScriptedEndpoint } from '../../../../testing/scripted-endpoint.ts';
import { Client } from '../../../client/client.ts';
import type { ClientSession } from '../../../client/session.ts';
import type { ClientAuthorization } from './authorization.ts';
import { connectHttp } from './connect.ts';

failOnEscapes();

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

const never = () => new Promise<never>(() => {});
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};
const INITIALIZED = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };

/** A session whose requests are authorized as the test says, once it is open. */
async function open(
  authorization: Partial<ClientAuthorization>,
  status = 200,
): Promise<{ session: ClientSession; endpoint: ScriptedEndpoint; errors: string[] }> {
  let isOpen = false;
  const errors: string[] = [];
  const endpoint = await ScriptedEndpoint.open((call) => {
    const { method, message } = call;
    if (method === 'GET') call.status(405);
    else if (message.method === 'initialize') call.result(INITIALIZED, { 'Mcp-Session-Id': 's' });
    else if (isOpen && status !== 200) call.status(status);
    else if (message.id === undefined) call.status(202);
    else call.result({});
  });
  cleanUp.push(() => endpoint.close());
  const options = { negotiation: 'initialize' as const, onError: ({ message }: Error) => errors.push(message) };
  const connection = connectHttp(endpoint.url, {
    ...sender,
    acceptTimeout: 50,
    authorization: {
      headers: async (request) => (isOpen && authorization.headers ? authorization.headers(request) : {}),
      challenged: async (challenge) => (await authorization.challenged?.(challenge)) ?? false,
    },
  });
  const session = await new Client({ name: 'c', version: '1' }, options).connect(connection);
  await endpoint.received(({ method }) => method === 'GET'); // the handshake is over
  isOpen = true;
  return { session, endpoint, errors };
}

it.each([
  ['headers', () => open({ headers: never })],
  ['challenged', () => open({ challenged: never }, 401)],
])(
  'an authorization whose %s never settles leaves every message its timeout, and closing settles',
  async (_, begin) => {
    const { session, errors } = await begin();
    session.notify('one');
    session.notify('two');
    await expect(session.ping({ timeout: 20 })).rejects.toThrow('ping got no response within 20 ms');
    for (const name of ['one', 'two']) {
      const error = `${name} was not accepted: the server did not respond within 50 ms`;
      await until(() => errors.includes(error));
    }
    await session.close();
  },
);

it('what an abort listener of the authorization throws is reported', async () => {
  const { session, errors } = await open({
    headers: ({ signal }) => {
      signal.addEventListener('abort', () => {
        throw new Error('not now');
      });
      return never();
    },
  });
  await expect(session.ping({ timeout: 20 })).rejects.toThrow('ping got no response');
  await until(() => errors.includes('The authorization failed: not now'));
  await session.close();
});

it.each([
  ['rejects', async () => Promise.reject(new Error('no key'))],
  [
    'throws',
    () => {
      throw new Error('no key');
    },
  ],
])('an authorization whose headers %s fails the call with that error', async (_, headers) => {
  const { session } = await open({ headers });
  await expect(session.ping()).rejects.toThrow('no key');
  await session.close();
});
