import { describe, expect, it } from 'vitest';
import { Client } from '../client/client.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { Server } from '../server/server.ts';
import { connectHttp } from './http/client/connect.ts';
import { createFetchHandler } from './http/server/fetch/handler.ts';
import { createHttpHandler, serveHttp } from './http/server/node/serve.ts';
import { connectStdio } from './stdio/connect.ts';
import { connectWebSocket } from './websocket/connect.ts';
import { serveWebSocket } from './websocket/serve.ts';

// biome-ignore lint/suspicious/noExplicitAny: these are the calls that the compiler refuses
type Untyped = (...given: any[]) => any;
const server = () => new Server({ name: 'test', version: '1' });
const client = () => new Client({ name: 'test', version: '1' });

describe('a mistake of a program is reported where it is made', () => {
  it.each<[string, Untyped, unknown[], string]>([
    ['serveHttp without a server', serveHttp, [], 'serveHttp takes a Server first, got undefined'],
    ['serveHttp with options first', serveHttp, [{ port: 3000 }], 'serveHttp takes a Server first, got an object'],
    ['serveWebSocket without a server', serveWebSocket, [], 'serveWebSocket takes a Server first, got undefined'],
    ['a handler without a server', createHttpHandler, [], 'createHttpHandler takes a Server first, got undefined'],
    ['a fetch handler without a server', createFetchHandler, [], 'createFetchHandler takes a Server first'],
    ['a port in place of options', serveHttp, [server(), 3000], 'serveHttp takes options second, got a number'],
    ['a path without a slash', serveHttp, [server(), { path: 'mcp' }], "path must begin with a slash; write '/mcp'"],
    [
      'cors as a switch',
      serveHttp,
      [server(), { cors: true }],
      "serveHttp: cors takes { origins: ['https://example.com'] } or { origins: '*' }, got true",
    ],
    [
      'an origin with a path',
      createHttpHandler,
      [server(), { cors: { origins: ['https://example.com/'] } }],
      'createHttpHandler: cors.origins: "https://example.com/" is not an origin',
    ],
    [
      'an origin without a scheme',
      createFetchHandler,
      [server(), { cors: { origins: ['example.com'] } }],
      'not an origin',
    ],
    ['a token in place of authorize', serveHttp, [server(), { authorize: 'secret' }], 'authorize must be a function'],
    ['the same for WebSocket', serveWebSocket, [server(), { authorize: 'secret' }], 'authorize must be a function'],
    [
      'an unknown response format',
      serveHttp,
      [server(), { responseFormat: 'jsn' }],
      "responseFormat must be 'json' or 'sse', got \"jsn\"",
    ],
    [
      'an unknown choice of sessions',
      serveHttp,
      [server(), { sessions: false }],
      "sessions must be 'stored' or 'none'",
    ],
    [
      'a client without a name',
      (info) => new Client(info),
      [],
      'new Client takes { name, version }, both strings, first',
    ],
    [
      'a URL in place of a connection',
      (url) => client().connect(url),
      ['http://127.0.0.1/mcp'],
      'client.connect takes a Connection, got "http://127.0.0.1/mcp". Use connectStdio, connectHttp or connectWebSocket',
    ],
    [
      'a client handler that is none',
      (method) => client().onRequest(method, undefined as never),
      ['x'],
      'of x must be a function',
    ],
    [
      'an address without a scheme',
      connectHttp,
      ['127.0.0.1:3000'],
      'takes a URL like http://127.0.0.1:3000/mcp, got "127',
    ],
    ['another scheme', connectHttp, ['localhost:3000/mcp'], 'connectHttp takes a URL like'],
    [
      'a command line',
      connectStdio,
      ['node server.mjs'],
      "connectStdio: command is missing. Write connectStdio({ command: 'node'",
    ],
    ['no command', connectStdio, [{ cmd: 'node' }], 'connectStdio: command is missing'],
    ['arguments as a text', connectStdio, [{ command: 'node', args: 'a.mjs' }], 'args must be an array of strings'],
    [
      'a misspelled authorize, which would leave the server open',
      createFetchHandler,
      [server(), { authorise: () => undefined }],
      'createFetchHandler has no option authorise. Did you mean authorize?',
    ],
    [
      'a misspelled option of serveHttp',
      serveHttp,
      [server(), { allowedHost: [] }],
      'serveHttp has no option allowedHost. Did you mean allowedHosts?',
    ],
    [
      'an option of serveHttp alone',
      createHttpHandler,
      [server(), { path: '/mcp' }],
      'createHttpHandler has no option path. Options are allowedHosts, preset, allowedOrigins, authorize, clientOf, cors,',
    ],
    [
      'a port in place of options of serveWebSocket',
      serveWebSocket,
      [server(), 3000],
      'serveWebSocket takes options second, got a number. Write serveWebSocket(server, { port: 3000 })',
    ],
    ['an option of HTTP', serveWebSocket, [server(), { cors: {} }], 'serveWebSocket has no option cors'],
    ['a host as a text', serveHttp, [server(), { allowedHosts: 'a.com' }], "allowedHosts takes an array or 'any'"],
    [
      'a host with a port',
      serveWebSocket,
      [server(), { allowedHosts: ['example.com:80'] }],
      'serveWebSocket: allowedHosts: "example.com:80" is not a host name without a port, like example.com',
    ],
    [
      'a star for every host',
      serveHttp,
      [server(), { allowedHosts: ['*'] }],
      '"*" is not a host name without a port, like example.com. To accept all, write allowedHosts: \'any\'',
    ],
    [
      'an allowed origin without a scheme',
      serveHttp,
      [server(), { allowedOrigins: ['example.com'] }],
      'serveHttp: allowedOrigins: "example.com" is not an origin, which is a scheme, a host and a port',
    ],
    ['a store that is none', serveHttp, [server(), { store: {} }], 'store takes an HttpStore, got an object without'],
    [
      'options of the official SDK',
      connectHttp,
      ['http://127.0.0.1:9/mcp', { requestInit: {} }],
      'connectHttp has no option requestInit. Options are',
    ],
    ['no URL', connectWebSocket, ['127.0.0.1:9'], 'connectWebSocket takes a URL like ws://127.0.0.1:3001/, got "127'],
    ['a misspelled option', connectWebSocket, ['ws://127.0.0.1:9', { header: {} }], 'Did you mean headers?'],
    [
      'a misspelled option of a client',
      (options) => new Client({ name: 'test', version: '1' }, options),
      [{ timeOut: 5 }],
      'new Client has no option timeOut. Did you mean timeout?',
    ],
    [
      'a misspelled limit of a client',
      (limits) => new Client({ name: 'test', version: '1' }, { limits }),
      [{ maxInflight: 5 }],
      'new Client: limits has no option maxInflight. Did you mean maxInFlight?',
    ],
    [
      'roots as a list',
      (roots) => new Client({ name: 'test', version: '1' }, { roots }),
      [[]],
      'new Client: roots must be a function, got an array',
    ],
    [
      'a negotiation that does not exist',
      (negotiation) => new Client({ name: 'test', version: '1' }, { negotiation }),
      ['stateless'],
      "negotiation must be 'auto' or 'initialize' or 'discover'",
    ],
    ['an error without a code', () => new RpcError('The cart is full' as never, ''), [], 'RpcError takes a number and'],
    ['an error without a message', () => new RpcError(-32000, undefined as never), [], 'RpcError takes a number and'],
  ])('%s', async (_what, call, given, message) => {
    const made = (async () => call(...given))();
    await expect(made).rejects.toThrow(message);
    await expect(made).rejects.toBeInstanceOf(TypeError);
  });

  it.each<[string, Untyped, unknown[], string]>([
    ['a limit below zero', serveHttp, [server(), { maxStreams: -1 }], 'serveHttp: maxStreams must be a number that'],
    ['a limit that is a text', createFetchHandler, [server(), { idleMs: '1h' }], 'not negative, got 1h'],
    [
      'a limit of WebSockets',
      serveWebSocket,
      [server(), { maxConnections: Number.NaN }],
      'serveWebSocket: maxConnections',
    ],
    ['a number of connections', serveHttp, [server(), { maxConnections: Number.NaN }], 'serveHttp: maxConnections'],
  ])('%s', async (_what, call, given, message) => {
    const made = (async () => call(...given))();
    await expect(made).rejects.toThrow(message);
    await expect(made).rejects.toBeInstanceOf(RangeError);
  });

  it('ignores options that are undefined', () => {
    const untyped: Untyped = createFetchHandler;
    expect(() => untyped(server(), { authorise: undefined, store: undefined, maxStreams: undefined })).not.toThrow();
  });

  it('accepts every host that a Host header can name', () => {
    const allowedHosts = ['example.com', '10.0.0.7', '[2001:db8::1]', 'xn--bcher-kva.example'];
    expect(() => createFetchHandler(server(), { allowedHosts })).not.toThrow();
  });

  it('accepts every origin that browsers send', () => {
    const origins = [
      'https://example.com',
      'http://localhost:5173',
      'null',
      'chrome-extension://abc',
      'app://obsidian.md',
    ];
    expect(() => createFetchHandler(server(), { cors: { origins } })).not.toThrow();
  });
});
