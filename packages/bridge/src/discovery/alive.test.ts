import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../testing/child.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { isAlive, isListening } from './alive.ts';

describe('isAlive', () => {
  it('is true of this process, and of the first one, which belongs to root', () => {
    expect(isAlive(process.pid)).toBe(true);
    expect(isAlive(1)).toBe(true);
  });

  it('is true of a process that we may not signal', () => {
    const { kill } = process;
    onTestFinished(() => {
      process.kill = kill;
    });
    process.kill = () => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    };
    expect(isAlive(2)).toBe(true);
  });

  it('is false of a process that was killed', async () => {
    const child = await startChild('setInterval(() => {}, 1000); console.log(1);', { folder: temporaryFolder() });
    await child.line();
    expect(isAlive(child.pid)).toBe(true);
    await child.end('SIGKILL');
    expect(isAlive(child.pid)).toBe(false);
  });
});

describe('isListening', () => {
  it('is true of a port with a listener and false after it closed', async () => {
    const { server, port } = await listener();
    expect(await isListening({ port })).toBe(true);
    server.close();
    await once(server, 'close');
    expect(await isListening({ port })).toBe(false);
  });

  it('is true of a listener that is stopped', async () => {
    const folder = temporaryFolder();
    const child = await startChild(
      `import { createServer } from 'node:net';
       const server = createServer().listen(0, '127.0.0.1', () => console.log(server.address().port));`,
      { folder },
    );
    const port = Number(await child.line());
    child.process.kill('SIGSTOP');
    expect(await isListening({ port })).toBe(true);
  });
});

async function listener(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return { server, port: address.port };
}
