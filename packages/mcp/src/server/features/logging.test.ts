import { describe, expect, it } from 'vitest';
import { join, makeServer } from '../../../testing/server-session.ts';

describe('logging', () => {
  it('messages below the level the client chose stay here', async () => {
    const [quiet, serverSession] = await join(makeServer({ capabilities: { logging: {} } }));
    const received: unknown[] = [];
    quiet.onNotification('notifications/message', (message) => received.push(message));
    await quiet.setLogLevel('warning');
    serverSession.log('info', 'ignored');
    serverSession.log('warning', { text: 'received' });
    serverSession.log('emergency', 'received too', 'core');
    await quiet.ping();
    expect(received).toEqual([
      { level: 'warning', data: { text: 'received' } },
      { level: 'emergency', data: 'received too', logger: 'core' },
    ]);
    await expect(quiet.request('logging/setLevel', { level: 'loud' })).rejects.toMatchObject({ code: -32602 });
  });

  it('a server that does not declare logging cannot log', async () => {
    const [, serverSession] = await join(makeServer());
    expect(() => serverSession.log('info', 'x')).toThrow(
      'declare it with new Server(info, { capabilities: { logging: {} } })',
    );
  });

  it('the first use of context.log fails when logging is not declared, and says how to declare it', async () => {
    const server = makeServer({ onError: () => {} });
    server.tool({ name: 'logs' }, (_args, { log }) => {
      log('info', 'x');
      return 'logged';
    });
    const [session] = await join(server);
    const received: unknown[] = [];
    session.onNotification('notifications/message', (message) => received.push(message));
    expect(await session.callTool('logs')).toMatchObject({
      isError: true,
      content: [
        { text: 'Cannot log to the client: declare it with new Server(info, { capabilities: { logging: {} } })' },
      ],
    });
    expect(received).toEqual([]);
  });
});
