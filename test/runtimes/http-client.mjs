// @ts-check
// What the client over HTTP must do in every runtime. Needs nothing but the entry for clients.
import { Client, connectHttp, NetworkError } from '@hawser/mcp/client';

/**
 * @param {{ open: string, secured: string, legacy: string, closed: string }} urls of the servers that `serveForClients` starts
 * @returns {Promise<string[]>} the facts that hold
 */
export async function driveClient(urls) {
  const facts = [];
  for (const negotiation of /** @type {const} */ (['initialize', 'discover'])) {
    await driveSession(urls.open, negotiation);
    facts.push(`session by ${negotiation}`);
  }
  await driveAuthorization(urls.secured);
  facts.push('authorization');
  await driveErrors(urls);
  facts.push('errors');
  return facts;
}

/**
 * @param {string} url
 * @param {'initialize' | 'discover'} negotiation
 */
async function driveSession(url, negotiation) {
  const client = new Client(INFO, {
    negotiation,
    elicit: ({ message }) => ({ action: 'accept', content: { name: `re: ${message}` } }),
    onError: (error) => {
      throw error;
    },
  });
  /** @type {(value: unknown) => void} */
  let changed = () => {};
  const listChanged = new Promise((resolve) => {
    changed = resolve;
  });
  client.onNotification('notifications/tools/list_changed', () => changed(undefined));
  const session = await client.connect(connectHttp(url));
  const names = (await session.listTools()).map(({ name }) => name);
  equal(names.slice(0, 5).join(), 'echo,count,ask,wait,grow', 'the tools');

  const text = 'line\nbreak é 😀'.repeat(10_000);
  equal(textOf(await session.callTool('echo', { text })), text, 'a long text');
  const many = await Promise.all(Array.from({ length: 20 }, (_, n) => session.callTool('echo', { text: `${n}` })));
  equal(many.map(textOf).join(), Array.from({ length: 20 }, (_, n) => n).join(), 'calls at the same time');

  /** @type {number[]} */
  const progress = [];
  const onProgress = (/** @type {{ progress: number }} */ { progress: done }) => progress.push(done);
  equal(textOf(await session.callTool('count', {}, { onProgress })), 'three', 'a call with progress');
  equal(progress.join(), '1,2,3', 'progress');
  equal(textOf(await session.callTool('ask')), 're: Your name?', 'a question of the server');

  const abort = new AbortController();
  const waiting = session.callTool(
    'wait',
    {},
    { signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) },
  );
  equal((await failureOf(waiting)).message, 'enough', 'an aborted call');

  await session.callTool('grow');
  await listChanged;
  equal((await failureOf(session.callTool('nothing'))).name, 'RpcError', 'an unknown tool');
  await session.close();
}

/** @param {string} url */
async function driveAuthorization(url) {
  let challenges = 0;
  const authorization = {
    headers: async () => (challenges === 0 ? {} : { Authorization: 'Bearer token' }),
    /** @param {{ status: number, header(name: string): string | undefined }} challenge */
    challenged: async ({ status, header }) => {
      challenges += 1;
      equal(`${status} ${header('WWW-Authenticate')}`, '401 Bearer scope="use"', 'the challenge');
      return challenges === 1;
    },
  };
  const session = await new Client(INFO).connect(connectHttp(url, { authorization }));
  equal(textOf(await session.callTool('echo', { text: 'authorized' })), 'authorized', 'a call with credentials');
  await session.close();
  const refused = await failureOf(new Client(INFO).connect(connectHttp(url)));
  equal(refused.name, 'RpcError', `a call without credentials: ${refused}`);
}

/** @param {{ closed: string }} urls */
async function driveErrors({ closed }) {
  const lost = await failureOf(new Client(INFO).connect(connectHttp(closed)));
  equal(lost instanceof NetworkError, true, `nobody listens: ${lost}`);
}

const INFO = { name: 'runtimes', version: '1.0.0' };

/** @param {{ content: { type: string }[] }} result */
function textOf({ content: [block] }) {
  return block !== undefined && 'text' in block ? block.text : JSON.stringify(block);
}

/** @param {Promise<unknown>} call */
async function failureOf(call) {
  try {
    await call;
  } catch (error) {
    return /** @type {Error} */ (error);
  }
  throw new Error('no failure');
}

/**
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} what
 */
function equal(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}
