import { afterEach, describe, expect, it } from 'vitest';
import { RawEndpoint } from '../../../testing/raw-endpoint.ts';
import { connectWebSocket } from './connect.ts';
import { keepWebSocket } from './reconnect.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
});

describe('a WebSocket client', () => {
  it.each([
    ['a refusal', 'HTTP/1.1 401 No\r\nContent-Length: 100000\r\n\r\n'],
    ['headers', 'HTTP/1.1 101 Switching\r\nX: '],
  ])('gives up a server that drips %s at the timeout', async (_, head) => {
    const endpoint = await RawEndpoint.open(({ socket }) => {
      socket.write(head);
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    cleanUp.push(() => endpoint.close());
    await expect(connectWebSocket(endpoint.url.replace('http', 'ws'), { timeout: 200 })).rejects.toThrow(
      /Could not connect to ws:.*: the handshake took more than 200 ms/,
    );
  });

  it('names the server without what can be secret in its URL', async () => {
    const failure = await connectWebSocket('ws://me:password@127.0.0.1:1/mcp?api_key=secret').catch((error) => error);
    expect(failure.message).toMatch(/^Could not connect to ws:\/\/127\.0\.0\.1:1\/mcp: /);
  });

  it.each([Number.NaN, -1, 2 ** 31])('refuses a timeout of %s ms', async (timeout) => {
    await expect(connectWebSocket('ws://127.0.0.1:1', { timeout })).rejects.toThrow(RangeError);
    expect(() => keepWebSocket('ws://127.0.0.1:1', { timeout, connected: () => {} })).toThrow(RangeError);
    expect(() => keepWebSocket('ws://127.0.0.1:1', { initialDelay: timeout, connected: () => {} })).toThrow(RangeError);
    expect(() => keepWebSocket('ws://127.0.0.1:1', { maxDelay: timeout, connected: () => {} })).toThrow(RangeError);
  });
});
