import { describe, expect, it } from 'vitest';
import { Client } from '../client/client.ts';
import { Server } from '../server/server.ts';
import { createFetchHandler } from './fetch/handler.ts';
import { connectHttp } from './http/client/connect.ts';
import { createHttpHandler } from './http/server/node/handler.ts';
import { serveHttp } from './http/server/node/serve.ts';
import { connectStdio } from './stdio/connect.ts';
import { serveStdio } from './stdio/serve.ts';
import { serveWebSocket } from './websocket/serve.ts';

// biome-ignore lint/suspicious/noExplicitAny: these are the calls that the compiler refuses
type Untyped = (...given: any[]) => any;
const server = () => new Server({ name: 'test', version: '1' });
const client = () => new Client({ name: 'test', version: '1' });

describe('a mistake of a program is reported where it is made', () => {
  it.each<[string, Untyped, unknown[], string]>([
    [
      'serveStdio without a server',
      serveStdio,
      [],
      'serveStdio takes a Server first, got undefined. Write serveStdio(new',
    ],
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
      'an unknown way to answer',
      serveHttp,
      [server(), { answers: 'jsn' }],
      "answers must be 'json' or 'sse', got \"jsn\"",
    ],
    ['an unknown choice of sessions', serveHttp, [server(), { sessions: false }], "sessions must be 'kept' or 'none'"],
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
      'got "node server.mjs". Write connectStdio({ command: \'node\'',
    ],
    ['no command', connectStdio, [{ cmd: 'node' }], 'connectStdio: command is missing'],
  ])('%s', async (_what, call, given, message) => {
    const made = (async () => call(...given))();
    await expect(made).rejects.toThrow(message);
    await expect(made).rejects.toBeInstanceOf(TypeError);
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
