// @ts-check
// A plain client: what it sends and expects is spelled out.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';

const VERSION = '2026-07-28';

/**
 * Sessions and stateless requests over HTTP.
 * @param {string} url
 */
export async function driveHttp(url) {
  const initialized = await post(url, request(1, 'initialize', INITIALIZE));
  const headers = { 'Mcp-Session-Id': initialized.headers.get('mcp-session-id') ?? '' };
  assert.equal((await answerIn(initialized)).result.serverInfo.name, 'runtimes');
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  const send = (/** @type {object} */ message) => void post(url, message, headers).catch(() => {});
  await driveCalls(async (message) => messagesIn(await post(url, message, headers)), send);
  const ended = await fetch(url, { method: 'DELETE', headers });
  assert.ok(ended.ok, `DELETE was answered with ${ended.status}`);
  assert.equal((await post(url, request(9, 'ping'), headers)).status, 404);

  const params = { name: 'echo', arguments: { text: 'alone' }, _meta: META };
  const alone = await post(url, request(1, 'tools/call', params), {
    'MCP-Protocol-Version': VERSION,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'echo',
  });
  assert.equal((await answerIn(alone)).result.content[0].text, 'alone');
  assert.equal((await post(url, '{')).status, 400);
  assert.equal((await post(url, '['.repeat(100_000))).status, 400);
}

/**
 * One session over the pipes of a process.
 * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} child
 */
export async function driveStdio(child) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** @param {object} message */
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  /** @param {{ id: number }} message */
  const ask = async (message) => {
    send(message);
    const received = [];
    while (received.at(-1)?.id !== message.id) received.push(JSON.parse((await lines.next()).value));
    return received;
  };
  const [initialized] = await ask(request(1, 'initialize', INITIALIZE));
  assert.equal(initialized.result.serverInfo.name, 'runtimes');
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await driveCalls(ask, send);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.end();
  assert.equal(await exited, 0);
}

/**
 * @param {(message: { id: number }) => Promise<any[]>} ask gives every message up to the answer
 * @param {(message: object) => unknown} send does not wait for one
 */
async function driveCalls(ask, send) {
  const tools = await ask(request(2, 'tools/list'));
  assert.deepEqual(
    tools[0].result.tools.map((/** @type {{ name: string }} */ { name }) => name),
    ['echo', 'count', 'later', 'wait', 'events'],
  );
  const text = 'line\nbreak é 😀'.repeat(10_000);
  const [echoed] = await ask(request(3, 'tools/call', { name: 'echo', arguments: { text } }));
  assert.equal(echoed.result.content[0].text, text);
  const [wrong] = await ask(request(4, 'tools/call', { name: 'echo', arguments: {} }));
  assert.ok(wrong.error ?? wrong.result.isError, 'missing arguments are accepted');
  const counted = await ask(request(5, 'tools/call', { name: 'count', arguments: {}, _meta: { progressToken: 5 } }));
  assert.deepEqual(
    counted.map(({ params, result }) => params?.progress ?? result.content[0].text),
    [1, 2, 3, 'three'],
  );
  const [later] = await ask(request(6, 'tools/call', { name: 'later', arguments: {} }));
  assert.equal(later.result.content[0].text, 'later');

  send(request(7, 'tools/call', { name: 'wait', arguments: {} }));
  const events = async (/** @type {string} */ expected) => {
    for (let id = 100, seen = ''; seen !== expected; id += 1) {
      assert.ok(id < 1000, `${seen} instead of ${expected}`);
      const [answer] = await ask(request(id, 'tools/call', { name: 'events', arguments: {} }));
      seen = answer.result.content[0].text;
    }
  };
  await events('waiting');
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  await events('waiting onCancelled listener onabort');
}

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'plain', version: '1' } };
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': INITIALIZE.clientInfo,
};

/**
 * @param {number} id
 * @param {string} method
 * @param {object} [params]
 */
function request(id, method, params) {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

/**
 * @param {string} url
 * @param {object | string} body
 * @param {Record<string, string>} [headers]
 */
function post(url, body, headers = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
}

/** @param {Response} response */
async function messagesIn(response) {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  if (response.headers.get('content-type') === 'application/json') return [JSON.parse(text)];
  // The first event of a stream has an id and no data.
  return text.split('\n').flatMap((line) => (/^data: ./.test(line) ? [JSON.parse(line.slice(6))] : []));
}

/** @param {Response} response */
async function answerIn(response) {
  return (await messagesIn(response)).at(-1);
}
