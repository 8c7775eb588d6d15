import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { type LazyListener, listenLazily, type Service } from './lazy-listener.ts';

/** Sends back what it receives, with a word before it. */
function echo(listener: Server): Service {
  const sockets = new Set<Socket>();
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('data', (data) => socket.write(`echo ${data}`));
  });
  return {
    close: async () => {
      const closed = once(listener.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

let listener: LazyListener<Service>;
let problems: Error[] = [];
afterEach(() => listener.close());

async function listen(serve: (listener: Server) => Promise<Service>, socketPath?: string): Promise<void> {
  problems = [];
  listener = await listenLazily({
    address: { port: 0, ...(socketPath !== undefined && { socketPath }) },
    serve,
    onProblem: (problem) => problems.push(problem),
  });
}

async function client(): Promise<Socket> {
  const socket = connect(listener.port, '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

it('makes the service when a client has sent something, and passes on what was sent', async () => {
  let made = 0;
  await listen(async (server) => {
    made += 1;
    return echo(server);
  });
  const [silent, first] = [await client(), await client()];
  expect(listener.service).toBeUndefined();
  first.write('one');
  expect(await once(first, 'data')).toEqual(['echo one']);
  silent.write('two');
  expect(await once(silent, 'data')).toEqual(['echo two']);
  const later = await client();
  later.write('three');
  expect(await once(later, 'data')).toEqual(['echo three']);
  expect(made).toBe(1);
});

it('a connection that closes without a word makes no service', async () => {
  await listen(async (server) => echo(server));
  const socket = await client();
  socket.end();
  await once(socket.resume(), 'close');
  expect(listener.service).toBeUndefined();
});

it('clients that connect while the service opens are served once', async () => {
  let isOpen = () => {};
  const opening = new Promise<void>((resolve) => {
    isOpen = resolve;
  });
  let listens = () => {};
  const listening = new Promise<void>((resolve) => {
    listens = resolve;
  });
  await listen(async (server) => {
    const service = echo(server);
    listens();
    await opening;
    return service;
  });
  const early = await client();
  early.write('early');
  await listening;
  const late = await client();
  late.write('late');
  expect(await once(late, 'data')).toEqual(['echo late']);
  isOpen();
  expect(await once(early, 'data')).toEqual(['echo early']);
  late.write('again');
  expect(await once(late, 'data')).toEqual(['echo again']);
});

it('when the service can not be made, its clients are disconnected, and the next one makes it try again', async () => {
  let tries = 0;
  await listen(async (server) => {
    tries += 1;
    if (tries === 1) throw new Error('no memory');
    return echo(server);
  });
  const first = await client();
  first.write('one');
  await once(first.resume(), 'close');
  expect(problems.map(({ message }) => message)).toEqual(['no memory']);
  const second = await client();
  second.write('two');
  expect(await once(second, 'data')).toEqual(['echo two']);
});

it('the oldest of too many silent clients is disconnected', async () => {
  await listen(async (server) => echo(server));
  const oldest = await client();
  const closed = once(oldest.resume(), 'close');
  for (let count = 0; count < 64; count += 1) await client();
  await closed;
  expect(listener.service).toBeUndefined();
});

it('closes with and without a service, twice if need be', async () => {
  await listen(async (server) => echo(server));
  const silent = await client();
  const closed = once(silent.resume(), 'close');
  await Promise.all([listener.close(), listener.close(), closed]);
  await expect(once(connect(listener.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
});

it('a socket file is for this user alone, and goes with the listener', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.sock');
  await listen(async (server) => echo(server), path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(listener.port).toBe(0);
  await listener.close();
  expect(() => statSync(path)).toThrow('ENOENT');
});
