import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeAfterwards } from '../../../../testing/serve.ts';
import { endIdleConnections } from './idle-connections.ts';

const IDLE_MS = 1000;
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

afterEach(() => {
  vi.useRealTimers();
});

/** A server that leaves its answers to the test, and a clock that the test turns. */
async function start() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const server = createServer({ keepAliveTimeout: 0 });
  endIdleConnections(server, IDLE_MS);
  closeAfterwards(async () => void server.close().closeAllConnections());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = async () => {
    const socket = connect(port, '127.0.0.1');
    const [served] = (await once(server, 'connection')) as [Socket];
    return { socket, served };
  };
  const asked = async (socket: Socket) => {
    const request = once(server, 'request');
    socket.write(REQUEST);
    const [, response] = (await request) as [unknown, ServerResponse];
    return response;
  };
  const answered = async (socket: Socket, response: ServerResponse) => {
    const finished = once(response, 'finish');
    response.end('done');
    await Promise.all([finished, once(socket, 'data')]);
  };
  return { server, opened, asked, answered };
}

/** As many looks at the connections as it takes to end one that was idle before the first. */
const waitIdle = () => vi.advanceTimersByTime(2 * IDLE_MS);

describe('endIdleConnections', () => {
  it('ends a connection on which nothing is asked any more, and no other', async () => {
    const { opened, asked, answered } = await start();
    const [idle, busy] = [await opened(), await opened()];
    await answered(idle.socket, await asked(idle.socket));
    const response = await asked(busy.socket);
    const ended = once(idle.socket, 'close');
    waitIdle();
    await ended;
    waitIdle();
    expect(busy.served.destroyed).toBe(false);
    await answered(busy.socket, response);
    const over = once(busy.socket, 'close');
    waitIdle();
    await over;
  });

  it('gives each connection its time from its last answer on', async () => {
    const { opened, asked, answered } = await start();
    const { socket, served } = await opened();
    for (let round = 0; round < 3; round++) {
      await answered(socket, await asked(socket));
      vi.advanceTimersByTime(IDLE_MS);
      expect(served.destroyed).toBe(false);
    }
    vi.advanceTimersByTime(IDLE_MS);
    expect(served.destroyed).toBe(true);
  });

  it('takes a connection on which a request has begun for one in use', async () => {
    const { opened, asked, answered } = await start();
    const { socket, served } = await opened();
    await answered(socket, await asked(socket));
    vi.advanceTimersByTime(IDLE_MS);
    socket.write(REQUEST.slice(0, 10));
    // The parser reads from the socket without a word to anybody.
    while (served.bytesRead === REQUEST.length) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(IDLE_MS);
    expect(served.destroyed).toBe(false);
    vi.advanceTimersByTime(IDLE_MS);
    expect(served.destroyed).toBe(true);
  });

  it('ends one on which nothing was ever asked', async () => {
    const { opened } = await start();
    const { served } = await opened();
    waitIdle();
    expect(served.destroyed).toBe(true);
  });

  it('ends idle ones at once when one more cannot be taken, so that the next can', async () => {
    const { server, opened, asked, answered } = await start();
    server.maxConnections = 2;
    const [idle, busy] = [await opened(), await opened()];
    await answered(idle.socket, await asked(idle.socket));
    const response = await asked(busy.socket);
    const ended = once(idle.socket, 'close');
    const tooMany = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await Promise.all([ended, once(tooMany, 'close')]);
    const next = await opened();
    await answered(next.socket, await asked(next.socket));
    await answered(busy.socket, response);
  });

  it('looks no more once the server is closed', async () => {
    const { server } = await start();
    expect(vi.getTimerCount()).toBe(1);
    server.close();
    await once(server, 'close');
    expect(vi.getTimerCount()).toBe(0);
  });
});
