import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { ByteBudget } from '../bodies/byte-budget.ts';
import type { Body } from '../http-call.ts';
import { readBody } from './node-call.ts';

/** A request of which only the body matters. */
function incoming(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Body> {
  return new Promise((resolve) =>
    readBody(request, { maxBytes, timeoutMs: 60_000, budget: new ByteBudget(1e9) }, undefined, resolve),
  );
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A server that responds with the body it was sent; resolves to what it sends back until it ends the connection. */
async function echoes(onRequest: (request: IncomingMessage) => void, parts: readonly string[]): Promise<string> {
  const server = createServer((request, response) => {
    onRequest(request);
    readBody(request, { maxBytes: 100, timeoutMs: 60_000, budget: new ByteBudget(1e9) }, undefined, (body) => {
      response.end(body.kind === 'text' ? `<${body.text}>` : 'unusable');
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    .setNoDelay()
    .setEncoding('utf8');
  let received = '';
  socket.on('data', (text) => {
    received += text;
  });
  for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
  await once(socket, 'end');
  return received;
}

const post = (body: string, more = '') =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;
const CLOSE = 'Connection: close\r\n';

describe('readBody of a request of node:http', () => {
  it('takes a body that comes with its headers, one after the other on a connection that then ends', async () => {
    const received = await echoes(() => {}, [post('first') + post('é') + post('last', CLOSE)]);
    expect(received.match(/<[^>]*>/g)).toEqual(['<first>', '<é>', '<last>']);
  });

  it('takes a body that comes later, in chunks, or not at all', async () => {
    const whole = post('later', CLOSE);
    expect(await echoes(() => {}, [whole.slice(0, -5), whole.slice(-5, -2), whole.slice(-2)])).toContain('<later>');
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\n${CLOSE}`;
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`;
    expect(await echoes(() => {}, [chunked])).toContain('<abc>');
    expect(await echoes(() => {}, [`${head}\r\n`])).toContain('<>');
  });

  it('lets others who listen to the request hear of its end', async () => {
    const received: string[] = [];
    let closed: Promise<unknown> | undefined;
    const listen = (request: IncomingMessage) => {
      request.on('end', () => received.push('end'));
      closed = once(request, 'close');
    };
    await echoes(listen, [post('body', CLOSE)]);
    await closed;
    expect(received).toEqual(['end']);
  });
});

describe('readBody', () => {
  it('puts together what comes in parts, also within a character', async () => {
    const request = incoming();
    const body = bodyOf(request, 100);
    for (const byte of Buffer.from('{"é":"😀"}')) request.write(Buffer.from([byte]));
    request.end();
    expect(await body).toEqual({ kind: 'text', text: '{"é":"😀"}', bytes: 13 });
  });

  it('settles when the body breaks off, with an error or without', async () => {
    for (const reason of [undefined, new Error('reset')]) {
      const request = incoming();
      const body = bodyOf(request, 100);
      request.write('{"half');
      request.destroy(reason);
      expect(await body).toEqual({ kind: 'unusable', why: 'truncated' });
    }
  });

  it('does not wait for the end of what is too large, announced or not', async () => {
    expect(await bodyOf(incoming({ 'content-length': '101' }), 100)).toEqual({ kind: 'unusable', why: 'too large' });
    const request = incoming();
    const body = bodyOf(request, 100);
    request.write('x'.repeat(101));
    expect(await body).toEqual({ kind: 'unusable', why: 'too large' });
    expect(request.listenerCount('data')).toBe(0);
  });
});
