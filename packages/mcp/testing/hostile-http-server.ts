import type { Socket } from 'node:net';
import type { Message } from '../src/jsonrpc/message.ts';
import { hostileTexts } from './hostile-peer.ts';
import type { Random } from './random.ts';
import { emptyResponse, RawEndpoint, type RawRequest } from './raw-endpoint.ts';

/** An HTTP endpoint that responds with odd statuses, headers, bodies, event streams and bytes, at odd times. */
export function openHostileEndpoint(random: Random): Promise<RawEndpoint> {
  return RawEndpoint.open((request) => response(random, request));
}

function response(random: Random, { method, message, socket }: RawRequest): void {
  if (socket.destroyed) return;
  if (method === 'DELETE') {
    socket.write(random.chance(0.8) ? emptyResponse(random.pick([200, 204, 404, 405, 500])) : oddHead(random));
    return;
  }
  if (random.chance(0.12)) {
    misbehave(random, socket);
    return;
  }
  if (method === 'GET') {
    if (random.chance(0.5)) socket.write(emptyResponse(405));
    else writeEvents(random, socket, hostileTexts(random, { jsonrpc: '2.0', method: 'none' }));
    return;
  }
  if (message.id === undefined || message.method === undefined) {
    socket.write(emptyResponse(random.pick([202, 202, 202, 200, 400, 404, 500])));
    return;
  }
  const texts = hostileTexts(random, message as Message);
  if (random.chance(0.4)) writeEvents(random, socket, texts);
  else writeBody(random, socket, texts.at(-1) ?? '');
}

function misbehave(random: Random, socket: Socket): void {
  random.pick<() => void>([
    () => socket.resetAndDestroy(),
    () => socket.end(),
    () => {}, // never responds
    () => socket.write(random.bytes(1 + random.below(200))),
    () => socket.write(oddHead(random)),
    () => drip(socket, `HTTP/1.1 ${random.pick([200, 202, 401, 404, 500])} X\r\nContent-Length: 100000\r\n\r\n`),
    () => drip(socket, `HTTP/1.1 200 OK\r\nX: `),
  ])();
}

function drip(socket: Socket, head: string): void {
  socket.write(head);
  const timer = setInterval(() => socket.write('x'), 5);
  socket.on('close', () => clearInterval(timer));
}

function oddHead(random: Random): string {
  return random.pick([
    'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'HTTP/1.1 101 Switching\r\n\r\n',
    `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(20)}${emptyResponse(204)}`,
    'HTTP/1.1 307 Go\r\nLocation: /mcp\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 308 Go\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    'HTTP/1.1 200 OK\r\nContent-Type: \u0001\r\n\r\n',
    'HTTP/0.9 200\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    'SSH-2.0-x\r\n',
    `HTTP/1.1 404 Not Found\r\nMcp-Session-Id: \u00e9\r\nContent-Length: 0\r\n\r\n`,
  ]);
}

function writeBody(random: Random, socket: Socket, body: string): void {
  const type = random.pick(['application/json', 'application/json', 'application/json; charset=x', 'text/html', '']);
  const status = random.chance(0.85) ? 200 : random.pick([201, 206, 400, 401, 404, 409, 429, 500, 503]);
  const session = random.pick(['', 'Mcp-Session-Id: s\r\n', 'Mcp-Session-Id: \u00e9 "\r\n']);
  const length = Buffer.byteLength(body) + (random.chance(0.03) ? 10 : 0);
  writeInPieces(
    random,
    socket,
    `HTTP/1.1 ${status} X\r\nContent-Type: ${type}\r\n${session}Content-Length: ${length}\r\n\r\n${body}`,
  );
}

function writeEvents(random: Random, socket: Socket, texts: readonly string[]): void {
  const end = random.pick(['\n', '\n', '\r\n', '\r']);
  const fields = () =>
    random.pick([
      '',
      '',
      ': comment',
      'retry: 0',
      'retry: 99999999999999',
      'id: 1',
      'id: \u2713',
      'event: message',
      'event: x',
      'x',
    ]);
  const event = (text: string) => [fields(), `data: ${text}`, '', ''].filter((line, at) => line !== '' || at > 1);
  const stream = texts.flatMap(event).join(end);
  const bom = random.chance(0.1) ? '\ufeff' : '';
  writeInPieces(
    random,
    socket,
    `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${bom}${stream}`,
  );
  if (random.chance(0.7)) socket.end();
  else setTimeout(() => socket.destroy(), random.below(100));
}

function writeInPieces(random: Random, socket: Socket, text: string): void {
  const bytes = Buffer.from(text);
  const cut = random.chance(0.3) ? random.below(bytes.length) : bytes.length;
  socket.write(bytes.subarray(0, cut));
  if (cut < bytes.length) socket.write(bytes.subarray(cut));
}
