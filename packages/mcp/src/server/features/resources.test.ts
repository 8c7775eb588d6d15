import { describe, expect, it } from 'vitest';
import { join, makeServer } from '../../../testing/server-session.ts';

describe('resources', () => {
  it('fixed resources and templates are listed and read; what is not there is -32002 with its uri', async () => {
    const server = makeServer();
    server.resource({ uri: 'test://a', name: 'a', mimeType: 'text/plain' }, () => ({
      text: 'A',
      mimeType: 'text/plain',
    }));
    server.resource({ uri: 'test://gone', name: 'gone' }, async () => undefined);
    server.resourceTemplate(
      { uriTemplate: 'test://user/{id}/{part}', name: 'user' },
      ({ id, part }) => `${id}: ${part}`,
    );
    server.resourceTemplate({ uriTemplate: 'test://many/{n}', name: 'many' }, ({ n }, uri) =>
      n === '0'
        ? undefined
        : [
            { uri, text: 'one' },
            { uri: `${uri}/2`, blob: 'AA==' },
          ],
    );
    const [session] = await join(server);
    expect(await session.listResources()).toEqual([
      { uri: 'test://a', name: 'a', mimeType: 'text/plain' },
      { uri: 'test://gone', name: 'gone' },
    ]);
    expect(await session.listResourceTemplates()).toMatchObject([{ name: 'user' }, { name: 'many' }]);
    expect(await session.readResource('test://a')).toEqual([{ uri: 'test://a', text: 'A', mimeType: 'text/plain' }]);
    expect(await session.readResource('test://user/7/na%20me')).toEqual([
      { uri: 'test://user/7/na%20me', text: '7: na me' },
    ]);
    expect(await session.readResource('test://many/2')).toHaveLength(2);
    for (const uri of ['test://gone', 'test://many/0', 'test://nowhere', '__proto__']) {
      await expect(session.readResource(uri)).rejects.toMatchObject({
        code: -32002,
        message: `Resource not found: ${uri}`,
        data: { uri },
      });
    }
    await expect(session.request('resources/read', {})).rejects.toMatchObject({ code: -32602 });
  });

  it('an update reaches the sessions that subscribed, until they unsubscribe', async () => {
    const server = makeServer();
    server.resource({ uri: 'test://a', name: 'a' }, () => 'A');
    const [subscriber] = await join(server);
    const [bystander] = await join(server);
    const heard: unknown[] = [];
    subscriber.onNotification('notifications/resources/updated', (params) => heard.push(params));
    bystander.onNotification('notifications/resources/updated', () => heard.push('bystander'));
    await subscriber.subscribe('test://a');
    server.resourceUpdated('test://a');
    server.resourceUpdated('test://b');
    await subscriber.unsubscribe('test://a');
    server.resourceUpdated('test://a');
    await Promise.all([subscriber.ping(), bystander.ping()]);
    expect(heard).toEqual([{ uri: 'test://a' }]);
  });
});
