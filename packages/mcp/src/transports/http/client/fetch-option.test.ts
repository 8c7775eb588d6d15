import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ProxyAgent, fetch as undiciFetch } from 'undici';
import { expect, it } from 'vitest';
import { cleanUp } from '../../../../testing/http-client.ts';
import { makeServer } from '../../../../testing/server-session.ts';
import { Client } from '../../../client/client.ts';
import { serveHttp } from '../server/node/serve.ts';
import { connectHttp } from './connect.ts';

const INFO = { name: 'c', version: '1' };

/** A proxy that tunnels, as proxies for https do. */
async function openProxy() {
  const tunnels: string[] = [];
  const proxy = createServer().on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, tunnels };
}

it("a session runs through a proxy with undici's agent", async () => {
  const server = makeServer();
  server.tool({ name: 'hello' }, () => 'hello');
  const served = await serveHttp(server);
  cleanUp.push(() => served.close());
  const proxy = await openProxy();
  const dispatcher = new ProxyAgent({ uri: proxy.url, proxyTunnel: true });
  cleanUp.push(() => dispatcher.destroy());
  // The types of undici differ from those of Node in details.
  const proxied = ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher })) as unknown as typeof fetch;
  for (const negotiation of ['initialize', 'discover'] as const) {
    const session = await new Client(INFO, { negotiation }).connect(connectHttp(served.url, { fetch: proxied }));
    expect((await session.callTool('hello')).content).toEqual([{ type: 'text', text: 'hello' }]);
    await session.close();
  }
  expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(served.url).host]));
});

it.each([
  ['socketPath', { socketPath: '/run/mcp.sock' }],
  ['connectTimeout', { connectTimeout: 500 }],
])('%s is refused with fetch, which could not heed it', (name, options) => {
  expect(() => connectHttp('http://localhost/mcp', { fetch, ...options })).toThrow(
    `connectHttp: ${name} is for Node's own HTTP client. fetch has settings of its own for that`,
  );
});

it('something else than a function is refused', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the compiler refuses this call
  expect(() => connectHttp('http://localhost/mcp', { fetch: 'fetch' } as any)).toThrow(
    'connectHttp: fetch must be a function, got "fetch"',
  );
});

it('no more requests than maxConnections are open at the same time, and notifications do not wait for them', async () => {
  let open = 0;
  let most = 0;
  const server = makeServer();
  server.tool({ name: 'slow' }, async () => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return 'done';
  });
  const served = await serveHttp(server);
  cleanUp.push(() => served.close());
  const session = await new Client(INFO, { negotiation: 'initialize' }).connect(
    connectHttp(served.url, { fetch, maxConnections: 2 }),
  );
  await Promise.all(Array.from({ length: 12 }, () => session.callTool('slow')));
  expect(most).toBeLessThanOrEqual(2);
  await session.close();
});

it('a name and password in the URL are sent as a header', async () => {
  const seen: (string | undefined)[] = [];
  const endpoint = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(403).end();
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => endpoint.close());
  const { port } = endpoint.address() as AddressInfo;
  for (const options of [{}, { fetch }]) {
    const connection = connectHttp(`http://me:s%C3%A9cret@127.0.0.1:${port}/mcp`, options);
    await expect(new Client(INFO).connect(connection)).rejects.toThrow('HTTP 403');
  }
  expect(new Set(seen)).toEqual(new Set([`Basic ${Buffer.from('me:sécret').toString('base64')}`]));
});
