import { describe, expect, it } from 'vitest';
import { join, makeServer } from '../../../testing/server-session.ts';

describe('logging', () => {
  it('messages below the level the client chose stay here', async () => {
    const [quiet, serverSession] = await join(makeServer({ capabilities: { logging: {} } }));
    const heard: unknown[] = [];
    quiet.onNotification('notifications/message', (message) => heard.push(message));
    await quiet.setLogLevel('warning');
    serverSession.log('info', 'ignored');
    serverSession.log('warning', { text: 'heard' });
    serverSession.log('emergency', 'heard too', 'core');
    await quiet.ping();
    expect(heard).toEqual([
      { level: 'warning', data: { text: 'heard' } },
      { level: 'emergency', data: 'heard too', logger: 'core' },
    ]);
    await expect(quiet.request('logging/setLevel', { level: 'loud' })).rejects.toMatchObject({ code: -32602 });
  });

  it('a server that does not declare logging cannot log', async () => {
    const [, serverSession] = await join(makeServer());
    expect(() => serverSession.log('info', 'x')).toThrow('does not declare the logging capability');
  });
});
