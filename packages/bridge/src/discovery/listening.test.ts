import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../testing/child.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { isListening } from './listening.ts';

describe('isListening', () => {
  it('is true of a port with a listener and false after it closed', async () => {
    const { server, port } = await listener();
    expect(await isListening({ port })).toBe(true);
    server.close();
    await once(server, 'close');
    expect(await isListening({ port })).toBe(false);
  });

  it('is false of a port that refuses, also if this process was too busy to see that in time', async () => {
    const { server, port } = await listener();
    server.close();
    await once(server, 'close');
    const asking = isListening({ port }, { timeout: 1 });
    process.nextTick(() => {
      const end = performance.now() + 50;
      while (performance.now() < end);
    });
    expect(await asking).toBe(false);
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
