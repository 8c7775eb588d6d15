import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { Server } from '../src/server/server.ts';
import { listenWebSocket, type WebSocketListener } from '../src/transports/websocket/listen.ts';
import { Random } from './random.ts';
import { withoutEscapes } from './without-escapes.ts';
import { writeInPieces } from './write-in-pieces.ts';

const DEADLINE_MS = 5000;

/** Sends one odd upgrade request. Throws unless it gets a response or is dropped and the server serves the next client. */
export async function runHandshakeCase(seed: number): Promise<void> {
  const random = new Random(seed);
  await attack(`handshake ${seed}`, async (listener) => {
    const socket = await dial(listener.port);
    await writeInPieces(socket, handshakeBytes(random), random);
    await finish(socket);
  });
}

/** Sends odd frames after a good handshake. Throws unless the replies are well-formed and the server serves on. */
export async function runFrameCase(seed: number): Promise<void> {
  const random = new Random(seed);
  await attack(`frames ${seed}`, async (listener) => {
    const socket = await dial(listener.port);
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.write(GOOD_HANDSHAKE);
    const frames = Array.from({ length: 1 + random.below(12) }, () => oddFrame(random));
    await writeInPieces(socket, Buffer.concat(frames), random);
    await finish(socket);
    checkReplies(Buffer.concat(received));
  });
}

const GOOD_HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\n\r\n';

const TARGETS = [
  ...['/', '//', '///', '//x:99999', '/\\', '/%', '/%zz', '/?', '/#', '/..//..', '*', '', ' ', '?', '#', ':', '/mcp'],
  ...['http://[', 'http://%/', 'http://', 'http:', 'http://127.0.0.1/', 'ws://x', 'HTTP://[::1', 'x:y', '127.0.0.1:80'],
  ...[`/${'a'.repeat(9000)}`, `/${'%'.repeat(300)}`, '/\u00e9', '/\u0000', '/\t', 'javascript:0', 'file:///', 'blob:'],
];
const HOSTS = [
  '127.0.0.1',
  'localhost:1',
  '[::1]',
  '[',
  '[::',
  'evil.example',
  '',
  ' ',
  '%',
  'a:b:c',
  '127.0.0.1:99999',
];
const ORIGINS = ['http://localhost', 'null', '', '[', 'http://[', 'https://evil.example', 'x'.repeat(4000)];
const EXTENSIONS = ['permessage-deflate', 'permessage-deflate; x="', ';', ',,,', 'a; b=c; b=d', '\u0001'];
const PROTOCOLS = ['mcp', 'mcp, mcp', '', ',', 'a b', '(', 'x, mcp', 'x'.repeat(3000)];
const KEYS = ['dGhlIHNhbXBsZSBub25jZQ==', '', 'short', '='.repeat(24), 'a'.repeat(24)];

function handshakeBytes(random: Random): Buffer {
  if (random.chance(0.05)) return random.bytes(random.below(600));
  const target = random.chance(0.8) ? random.pick(TARGETS) : random.text(60);
  const headers = [
    ['Host', random.chance(0.7) ? '127.0.0.1' : random.pick(HOSTS)],
    ['Upgrade', random.pick(['websocket', 'websocket', 'WebSocket', 'h2c', ''])],
    ['Connection', random.pick(['Upgrade', 'Upgrade', 'keep-alive, Upgrade', 'close'])],
    ['Sec-WebSocket-Version', random.pick(['13', '13', '8', '', 'x'])],
    ['Sec-WebSocket-Key', random.pick(KEYS)],
    ['Sec-WebSocket-Protocol', random.pick(PROTOCOLS)],
    ['Sec-WebSocket-Extensions', random.pick(EXTENSIONS)],
    ['Origin', random.pick(ORIGINS)],
    ['Content-Length', random.pick(['0', '5', '-1', 'x', '99999999999999999999'])],
    ['Transfer-Encoding', random.pick(['chunked', 'identity', 'x'])],
    [random.text(20), random.text(80)],
  ];
  const chances = [0.95, 0.95, 0.95, 0.9, 0.9, 0.4, 0.2, 0.3, 0.05, 0.05, 0.1];
  const lines = headers.flatMap(([name, value], index) =>
    random.chance(chances[index] as number) ? Array(random.chance(0.05) ? 2 : 1).fill(`${name}: ${value}`) : [],
  );
  const method = random.pick(['GET', 'GET', 'GET', 'GET', 'POST', 'CONNECT', 'get', '']);
  const version = random.pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', '']);
  const head = `${method} ${target} ${version}\r\n${lines.join('\r\n')}\r\n\r\n`;
  const whole = Buffer.concat([Buffer.from(head, 'latin1'), random.chance(0.2) ? random.bytes(40) : Buffer.alloc(0)]);
  return random.chance(0.1) ? whole.subarray(0, random.below(whole.length)) : whole;
}

const PAYLOADS = [
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
  '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":[]}',
  '{"jsonrpc":"2.0","method":"__proto__"}',
  '[{"jsonrpc":"2.0","id":2,"method":"ping"},7]',
  '[]',
  '{',
  '',
  '\ufeff{}',
  '{"jsonrpc":"2.0","id":3,"result":{}}',
  '"\\ud800"',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
];

function oddFrame(random: Random): Buffer {
  if (random.chance(0.05)) return random.bytes(random.below(100));
  const opcode = random.chance(0.6) ? 1 : random.below(16);
  const isFinal = random.chance(0.85);
  const reserved = random.chance(0.03) ? 0x10 * random.below(8) : 0;
  const isMasked = random.chance(0.95);
  const payload = random.chance(0.8) ? Buffer.from(random.pick(PAYLOADS)) : random.bytes(random.below(300));
  const claimed = random.chance(0.05) ? random.below(2 ** 32) * random.pick([1, 2 ** 20]) : payload.length;
  const mask = random.bytes(4);
  return Buffer.concat([
    Buffer.from([(isFinal ? 0x80 : 0) | reserved | opcode]),
    lengthBytes(claimed, isMasked, random),
    ...(isMasked ? [mask, payload.map((byte, index) => byte ^ (mask[index % 4] as number))] : [payload]),
  ]);
}

function lengthBytes(length: number, isMasked: boolean, random: Random): Buffer {
  const maskBit = isMasked ? 0x80 : 0;
  const long = Buffer.alloc(9);
  long[0] = maskBit | 127;
  long.writeBigUInt64BE(BigInt(length), 1);
  if (length > 0xffff || random.chance(0.03)) return long;
  if (length < 126 && random.chance(0.97)) return Buffer.from([maskBit | length]);
  return Buffer.from([maskBit | 126, length >> 8, length & 0xff]);
}

/** Serves, lets the attack happen, then checks that a good client is served and nothing was thrown unseen. */
async function attack(name: string, run: (listener: WebSocketListener) => Promise<void>): Promise<void> {
  const server = new Server({ name: 'target', version: '1.0.0' });
  const reported: unknown[] = [];
  const onError = (error: Error) => void reported.push(error);
  await withoutEscapes(name, async () => {
    const listener = await listenWebSocket({ accept: (connection) => server.connect(connection), onError });
    try {
      await run(listener);
      await checkGoodClient(listener);
    } finally {
      await listener.close();
    }
  });
  if (reported.length > 0) throw new Error(`${name}: thrown inside the server: ${reported}`, { cause: reported[0] });
}

async function checkGoodClient({ url }: WebSocketListener): Promise<void> {
  const client = new WebSocket(url, ['mcp'], { handshakeTimeout: DEADLINE_MS });
  await once(client, 'open');
  client.send('{"jsonrpc":"2.0","id":"good","method":"ping"}');
  const [response] = await once(client, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) });
  client.terminate();
  if (JSON.parse(String(response)).id !== 'good') throw new Error(`A good client got a wrong response: ${response}`);
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}); // a reset is a fair response
  await once(socket, 'connect');
  return socket;
}

/** Ends our side and waits until the server has closed its own. */
async function finish(socket: Socket): Promise<void> {
  socket.resume();
  socket.end();
  if (!socket.closed) await once(socket, 'close', { signal: AbortSignal.timeout(DEADLINE_MS) });
}

/** What a server sends after the handshake: whole, unmasked frames, whose texts are JSON. */
function checkReplies(received: Buffer): void {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) throw new Error(`No handshake: ${received.toString('latin1')}`);
  for (let at = headEnd + 4; at < received.length; ) {
    const [first, second] = [received[at] as number, received[at + 1] as number];
    const isLong = second === 126;
    if (![0x81, 0x88, 0x89, 0x8a].includes(first) || second > 126) {
      throw new Error(`Not a frame of a server: ${received.subarray(at, at + 10).toString('hex')}`);
    }
    const length = isLong ? received.readUInt16BE(at + 2) : second;
    const start = at + (isLong ? 4 : 2);
    if (first === 0x81) JSON.parse(received.toString('utf8', start, start + length));
    at = start + length;
  }
}
