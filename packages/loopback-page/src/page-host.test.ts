import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Connection } from '@hawser/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type PageHost, servePage } from './page-host.ts';
import { PageTokens } from './page-tokens.ts';
import { isOfOtherUser, ownerIn } from './socket-owner.ts';

const tokens = new PageTokens('hawser-inspect');
const accepted: Connection[] = [];
let host: PageHost;
let port: number;
beforeAll(async () => {
  const file = { type: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>the page') };
  host = await servePage({
    name: 'hawser-inspect',
    channelPath: '/channel',
    files: new Map([['/', file]]),
    admission: tokens,
    port: 0,
    accept: (connection) => void accepted.push(connection),
    onError: () => {},
  });
  port = Number(new URL(host.url).port);
});
afterAll(() => host.close());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = '';
      response.on('data', (data) => {
        body += data;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    asking.on('error', reject);
    asking.end();
  });
}

describe('the files of the page', () => {
  it('are served with a policy that forbids code and resources from elsewhere, and are kept nowhere', async () => {
    const { status, headers, body } = await get('/');
    expect(status).toBe(200);
    expect(body).toBe('<!doctype html>the page');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; img-src 'self' data:; media-src data:; " +
        `connect-src 'self' ws://127.0.0.1:${port}; base-uri 'none'; form-action 'none'; ` +
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types hawser-inspect",
    );
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it.each([
    ['another name', 'evil.example:80'],
    ['another port', '127.0.0.1:1'],
    ['no port', '127.0.0.1'],
  ])('are refused to a request with %s in its Host', async (_, name) => {
    const { status, body } = await get('/', { Host: name });
    expect([status, body]).toEqual([403, 'Host not allowed\n']);
  });

  it.each([
    ['another site', () => 'https://evil.example'],
    ['another port of this machine', () => 'http://127.0.0.1:1'],
    ['a sandboxed page', () => 'null'],
    ['the other name of this machine', () => `http://localhost:${port}`],
  ])('are refused to a request with the Origin of %s', async (_, origin) => {
    const { status, body } = await get('/', { Origin: origin() });
    expect([status, body]).toEqual([403, 'Origin not allowed\n']);
  });

  it('are compressed for browsers that take it', async () => {
    const compressed = await fetch(host.url, { headers: { 'Accept-Encoding': 'gzip, deflate' } });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(await compressed.text()).toBe('<!doctype html>the page');
    const plain = await get('/', { 'Accept-Encoding': 'identity' });
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, '<!doctype html>the page']);
  });

  it('are all that there is', async () => {
    expect((await get('/other')).status).toBe(404);
    expect((await get('//')).status).toBe(404);
    expect((await get('/../../etc/passwd')).status).toBe(404);
    expect((await get('/', {}, 'POST')).status).toBe(405);
    expect(await get('/?query#x', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
  });
});

/** What becomes of a WebSocket: open, or the code and reason of its end. */
async function attempt(protocols: readonly string[], headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/channel`, [...protocols], {
    headers: { Origin: `http://127.0.0.1:${port}`, ...headers },
  });
  const before = accepted.length;
  const outcome = await new Promise<string>((resolve) => {
    socket.on('close', (code, reason) => resolve(`${code} ${reason}`));
    socket.on('unexpected-response', (_, response) => resolve(`HTTP ${response.statusCode}`));
    socket.on('error', (error) => resolve(error.message));
    socket.on('open', () => setImmediate(() => accepted.length > before && resolve('open')));
  });
  socket.close();
  return outcome;
}

describe('the channel of the page', () => {
  it('opens for a link once, and then for the token that the page got for it', async () => {
    const link = tokens.newLink();
    expect(await attempt(['hawser-inspect', `link.${link}`])).toBe('open');
    expect(await attempt(['hawser-inspect', `link.${link}`])).toBe('1008 The token is missing or wrong');
    const another = tokens.newLink();
    const token = tokens.admit({ 'sec-websocket-protocol': `hawser-inspect, link.${another}` });
    expect(await attempt(['hawser-inspect', `page.${token}`])).toBe('open');
    expect(await attempt(['hawser-inspect', `page.${token}`])).toBe('open');
  });

  it.each([
    ['no token', ['hawser-inspect']],
    ['an empty token', ['hawser-inspect', 'page.']],
    ['a wrong token', ['hawser-inspect', `page.${'a'.repeat(43)}`]],
    ['a wrong link', ['hawser-inspect', 'link.undefined']],
  ])('stays closed for %s', async (_, protocols) => {
    expect(await attempt(protocols)).toBe('1008 The token is missing or wrong');
  });

  it('stays closed for a right token from another Origin or Host, and does not use a link up', async () => {
    const link = tokens.newLink();
    const protocols = ['hawser-inspect', `link.${link}`];
    expect(await attempt(protocols, { Origin: 'http://127.0.0.1:1' })).toBe('1008 Origin not allowed');
    expect(await attempt(protocols, { Origin: 'https://evil.example' })).toBe('HTTP 403');
    expect(await attempt(protocols, { Host: 'evil.example' })).toBe('HTTP 403');
    expect(await attempt(protocols, { Host: '127.0.0.1:1' })).toBe('1008 Host not allowed');
    expect(await attempt(protocols)).toBe('open');
  });
});

describe('other users of this machine', () => {
  const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1`;

  it('are known by the table of connections', () => {
    expect(ownerIn(TABLE, { clientPort: 50_000, serverPort: 8080 })).toBe(1000);
    expect(ownerIn(TABLE, { clientPort: 8080, serverPort: 50_000 })).toBeUndefined();
    expect(ownerIn('', { clientPort: 1, serverPort: 2 })).toBeUndefined();
  });

  it('are not assumed where nothing is known', () => {
    expect(isOfOtherUser({ clientPort: 1, serverPort: 2 }, 1000)).toBe(false);
    expect(isOfOtherUser({ clientPort: 1, serverPort: 2 }, undefined)).toBe(false);
  });

  it('get nothing, not even the page', async ({ skip }) => {
    skip(process.getuid?.() !== 0 || process.platform !== 'linux', 'It needs root on Linux to become another user');
    const program = `require('http').get('http://127.0.0.1:${port}/', (r) => console.log(r.statusCode))`;
    const child = spawn(process.execPath, ['-e', program], { uid: 65_534, gid: 65_534 });
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    expect(String(output).trim()).toBe('403');
  });
});
