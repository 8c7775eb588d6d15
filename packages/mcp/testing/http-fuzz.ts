import { once } from 'node:events';
import { connect } from 'node:net';
import { Server } from '../src/server/server.ts';
import { type ServedHttp, serveHttp } from '../src/transports/http/server/node/serve.ts';
import { Random } from './random.ts';
import { POST_HEADERS, RawHttp } from './raw-http.ts';
import { initialize, RawSession } from './raw-session.ts';
import { withoutEscapes } from './without-escapes.ts';
import { writeInPieces } from './write-in-pieces.ts';

/** Sends odd HTTP requests, with odd heads and odd bodies. Throws unless the server responds well-formed and serves on. */
export async function runHttpCase(seed: number): Promise<void> {
  const random = new Random(seed);
  const server = new Server({ name: 'target', version: '1.0.0' }, { onError: () => {} });
  server.tool({ name: 'echo' }, (args) => JSON.stringify(args));
  server.tool({ name: 'count' }, (_args, context) => {
    for (const n of [1, 2]) context.progress(n);
    return 'counted';
  });
  const reported: unknown[] = [];
  const onError = (error: Error) => void reported.push(error);
  await withoutEscapes(`HTTP ${seed}`, async () => {
    const listener = await serveHttp(server, { sessions: random.pick(['stored', 'stored', 'none']), onError });
    try {
      await attack(listener, random);
      await checkGoodClient(listener);
    } finally {
      await listener.close();
    }
  });
  if (reported.length > 0)
    throw new Error(`HTTP ${seed}: thrown inside the server: ${reported}`, { cause: reported[0] });
}

async function attack({ port }: ServedHttp, random: Random): Promise<void> {
  const http = new RawHttp({ port });
  const opened = await http.post(initialize());
  const sessionId = opened.sessionId ?? 'none';
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}); // a reset is a fair response
  await once(socket, 'connect');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const requests = Array.from({ length: 1 + random.below(4) }, () => requestBytes(random, sessionId));
  await writeInPieces(socket, Buffer.concat(requests), random);
  socket.end();
  // Responses on other connections show that the server has read the earlier ones; a stream may stay open.
  for (let n = 0; n < 3 && !socket.closed; n += 1) await http.send('PUT');
  socket.destroy();
  const reply = Buffer.concat(received).toString('latin1');
  if (reply !== '' && !/^HTTP\/1\.1 [1-5]\d\d /.test(reply)) throw new Error(`Not a response: ${reply.slice(0, 200)}`);
}

const METHODS = [
  'POST',
  'POST',
  'POST',
  'POST',
  'GET',
  'GET',
  'DELETE',
  'OPTIONS',
  'PUT',
  'HEAD',
  'CONNECT',
  'TRACE',
  'post',
  '',
];
const TARGETS = [
  ...[
    '/mcp',
    '/mcp',
    '/mcp',
    '/mcp',
    '/mcp?x=/y',
    '/mcp#z',
    '/mcp/',
    '//mcp',
    '/',
    '//',
    '///',
    '*',
    '',
    '?',
    '/%',
    '/%zz',
  ],
  ...[
    'http://[',
    'http://%/',
    'http://',
    '//x:99999',
    'http://localhost/mcp',
    'HTTP://LOCALHOST/mcp',
    'http://evil/mcp',
  ],
  ...[
    'x:y',
    '127.0.0.1:80',
    '/mcp\\',
    '/\u00e9',
    '/\u0000',
    `/${'a'.repeat(9000)}`,
    'javascript:0',
    'file:///mcp',
    '/../mcp',
  ],
];
const HOSTS = [
  'localhost',
  'localhost',
  '127.0.0.1:1',
  '[::1]',
  '[',
  '[::',
  'evil.example',
  '',
  '%',
  'a:b:c',
  'localhost:99999',
  'x'.repeat(3000),
];
const VALUES: { readonly [name: string]: readonly string[] } = {
  Origin: ['http://localhost', 'null', '', '[', 'http://[', 'https://evil.example', 'x'.repeat(2000)],
  Accept: [POST_HEADERS.Accept, '*/*', 'text/event-stream', '', ',;,;', 'x'.repeat(3000), '*/*;q=x'],
  'Content-Type': ['application/json', 'application/json; charset=', 'text/plain', '', ';', 'application/json\t'],
  'Content-Encoding': ['identity', 'gzip', ''],
  'MCP-Protocol-Version': [
    '2025-11-25',
    '2025-03-26',
    '2026-07-28',
    '1999-01-01',
    '',
    '__proto__',
    '2025-11-25, 2025-11-25',
  ],
  'Mcp-Method': ['tools/call', 'ping', 'constructor', '=?base64?!?='],
  'Mcp-Name': ['echo', '=?base64?ZWNobw==?=', '=?base64?', ''],
  'Last-Event-ID': ['1', '-1', '999999', 'NaN', '__proto__', '1e3', ''],
  'Access-Control-Request-Method': ['POST', ''],
  Expect: ['100-continue', '200-ok', ''],
  Upgrade: ['websocket', 'h2c'],
  Connection: ['close', 'keep-alive', 'upgrade', ''],
  Authorization: ['Bearer x', '', 'Bearer \u00e9'],
  'Content-Length': ['0', '5', '-1', 'x', '99999999999999999999', '1, 1'],
  'Transfer-Encoding': ['chunked', 'identity', 'x, chunked'],
};

function requestBytes(random: Random, sessionId: string): Buffer {
  if (random.chance(0.05)) return random.bytes(random.below(400));
  const body = random.chance(0.85) ? bodyText(random) : random.bytes(random.below(200)).toString('latin1');
  const lines = [`Host: ${random.chance(0.8) ? 'localhost' : random.pick(HOSTS)}`];
  if (random.chance(0.8)) lines.push(...Object.entries(POST_HEADERS).map(([name, value]) => `${name}: ${value}`));
  if (random.chance(0.5)) lines.push(`Mcp-Session-Id: ${random.chance(0.8) ? sessionId : random.text(40)}`);
  for (const [name, values] of Object.entries(VALUES)) {
    if (random.chance(0.08)) lines.push(`${name}: ${random.pick(values)}`);
  }
  if (random.chance(0.05)) lines.push(`${random.text(20)}: ${random.text(80)}`);
  if (random.chance(0.85)) lines.push(`Content-Length: ${Buffer.byteLength(body, 'latin1')}`);
  const target = random.chance(0.95) ? random.pick(TARGETS) : random.text(60);
  const version = random.chance(0.93) ? 'HTTP/1.1' : random.pick(['HTTP/1.0', 'HTTP/9.9', 'HTTP', '']);
  const head = `${random.pick(METHODS)} ${target} ${version}\r\n${lines.join('\r\n')}\r\n\r\n`;
  const whole = Buffer.from(`${head}${body}`, 'latin1');
  return random.chance(0.05) ? whole.subarray(0, random.below(whole.length)) : whole;
}

const ODD_VALUES: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  1e308,
  '',
  'echo',
  [],
  {},
  true,
  '__proto__',
  [[]],
  { a: null },
];
const METHOD_NAMES = [
  ...['initialize', 'ping', 'tools/list', 'tools/call', 'resources/read', 'resources/subscribe', 'prompts/get'],
  ...['completion/complete', 'logging/setLevel', 'subscriptions/listen', 'server/discover', 'tasks/get', 'health'],
  ...['notifications/initialized', 'notifications/cancelled', 'notifications/progress', 'constructor', '', '\u0000'],
];

function bodyText(random: Random): string {
  if (random.chance(0.05)) return `${'['.repeat(random.below(3000))}`;
  const message = () => (random.chance(0.15) ? random.pick(ODD_VALUES) : oddMessage(random));
  const value = random.chance(0.1) ? Array.from({ length: random.below(4) }, message) : message();
  const text = JSON.stringify(value);
  return random.chance(0.05) ? text.slice(0, random.below(text.length)) : text;
}

function oddMessage(random: Random): object {
  const odd = (value: unknown) => (random.chance(0.12) ? random.pick(ODD_VALUES) : value);
  const message: { [member: string]: unknown } = { jsonrpc: odd('2.0') };
  if (random.chance(0.8)) message.id = odd(random.below(5));
  if (random.chance(0.9)) message.method = odd(random.pick(METHOD_NAMES));
  else message[random.pick(['result', 'error'])] = odd({ code: 1, message: 'm' });
  if (random.chance(0.8)) message.params = odd(oddParams(random, odd));
  return message;
}

function oddParams(random: Random, odd: (value: unknown) => unknown): object {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': odd('2026-07-28'),
    'io.modelcontextprotocol/clientCapabilities': odd({}),
    progressToken: odd(1),
  };
  return {
    ...(random.chance(0.6) && { name: odd(random.pick(['echo', 'count', 'none'])), arguments: odd({ a: 1 }) }),
    ...(random.chance(0.3) && { uri: odd('test://x'), requestId: odd(1), level: odd('info'), taskId: odd('t') }),
    ...(random.chance(0.3) && { protocolVersion: odd('2025-11-25'), capabilities: odd({}), clientInfo: odd({}) }),
    ...(random.chance(0.2) && {
      notifications: odd({ resourceSubscriptions: odd(['test://x']), taskIds: odd(['t']) }),
    }),
    ...(random.chance(0.2) && { inputResponses: odd({ a: 1 }), requestState: odd('x.y'), cursor: odd('zzz') }),
    ...(random.chance(0.5) && { _meta: odd(meta) }),
  };
}

async function checkGoodClient({ port }: ServedHttp): Promise<void> {
  const http = new RawHttp({ port });
  const opened = await http.post(initialize());
  const session = new RawSession(http, { id: opened.sessionId ?? '', version: '2025-11-25' });
  await session.notify('notifications/initialized');
  const response = await session.ask('tools/call', { name: 'echo', arguments: { good: true } });
  if (response.result?.content[0].text !== '{"good":true}') {
    throw new Error(`A good client got a wrong response: ${JSON.stringify(response)}`);
  }
}
