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

  it('a reader can return the whole result, as in the official SDK', async () => {
    const server = makeServer();
    server.resource({ uri: 'test://a', name: 'a', mimeType: 'text/plain' }, (uri) => ({
      contents: [{ uri, text: 'A' }],
    }));
    const [session] = await join(server);
    expect(await session.readResource('test://a')).toEqual([{ uri: 'test://a', text: 'A', mimeType: 'text/plain' }]);
  });

  it('an update reaches the sessions that subscribed, until they unsubscribe', async () => {
    const server = makeServer();
    server.resource({ uri: 'test://a', name: 'a' }, () => 'A');
    const [subscriber] = await join(server);
    const [bystander] = await join(server);
    const received: unknown[] = [];
    subscriber.onNotification('notifications/resources/updated', (params) => received.push(params));
    bystander.onNotification('notifications/resources/updated', () => received.push('bystander'));
    await subscriber.subscribe('test://a');
    server.resourceUpdated('test://a');
    server.resourceUpdated('test://b');
    await subscriber.unsubscribe('test://a');
    server.resourceUpdated('test://a');
    await Promise.all([subscriber.ping(), bystander.ping()]);
    expect(received).toEqual([{ uri: 'test://a' }]);
  });

  it("what is read has its resource's or template's mimeType unless the reader gives another", async () => {
    const server = makeServer();
    server.resource({ uri: 'test://a', name: 'a', mimeType: 'text/css' }, () => 'a {}');
    server.resourceTemplate(
      { uriTemplate: 'test://t/{kind}', name: 't', mimeType: 'text/markdown' },
      ({ kind }, uri) => {
        if (kind === 'text') return '# Title';
        if (kind === 'own') return { text: '{}', mimeType: 'application/json' };
        return kind === 'list' ? [{ uri, text: 'one' }] : { blob: 'AA==' };
      },
    );
    const [session] = await join(server);
    const read = async (uri: string) => (await session.readResource(uri))[0]?.mimeType;
    expect(await read('test://a')).toBe('text/css');
    expect(await read('test://t/text')).toBe('text/markdown');
    expect(await read('test://t/blob')).toBe('text/markdown');
    expect(await read('test://t/own')).toBe('application/json');
    expect(await read('test://t/list')).toBe('text/markdown');
  });

  it('a URI over the limit is refused before anything is compared with it', async () => {
    const server = makeServer();
    server.resourceTemplate({ uriTemplate: 'test://{+a}/{+b}/{+c}{?d,e}', name: 't' }, ({ a }) => String(a?.length));
    const [session] = await join(server);
    const uri = (length: number) => `test://${'x/'.repeat(length)}`.slice(0, length);
    expect(await session.readResource(uri(8192))).toMatchObject([{ text: expect.any(String) }]);
    for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe']) {
      await expect(session.request(method, { uri: uri(4_000_000) })).rejects.toMatchObject({
        code: -32602,
        message: `Invalid params for ${method}: uri has 4000000 characters; at most 8192 are accepted`,
      });
    }
    const [narrow] = await join(makeNarrow());
    await expect(narrow.readResource('test://a/b')).rejects.toThrow('uri has 10 characters; at most 8 are accepted');
  });

  it('a name that is not there is quoted in part when it is long', async () => {
    const server = makeServer();
    server.resourceTemplate({ uriTemplate: 'test://{a}', name: 't' }, () => undefined);
    server.tool({ name: 't' }, () => '');
    server.prompt({ name: 'p', arguments: [{ name: 'a', complete: () => [] }] }, () => '');
    const [session] = await join(server);
    const long = 'x'.repeat(1_000_000);
    const argument = { name: 'a', value: '' };
    for (const [method, params] of [
      ['tools/call', { name: long }],
      ['prompts/get', { name: long }],
      ['prompts/get', { name: 'p', arguments: { [long]: 5 } }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: long }, argument }],
      ['completion/complete', { ref: { type: 'ref/resource', uri: long }, argument }],
      [long, {}],
    ] as const) {
      const thrown = await session.request(method, params).catch((error: Error) => error);
      expect((thrown as Error).message.length).toBeLessThan(300);
    }
  });

  it('a subscription is accepted only to what is there or a template matches', async () => {
    const server = makeServer();
    server.resource({ uri: 'test://a', name: 'a' }, () => 'A');
    server.resourceTemplate({ uriTemplate: 'test://user/{id}', name: 'user' }, () => undefined);
    const [session, serverSession] = await join(server);
    await session.subscribe('test://a');
    await session.subscribe('test://user/7');
    await expect(session.subscribe('test://nowhere')).rejects.toMatchObject({
      code: -32002,
      message: 'Resource not found: test://nowhere',
    });
    expect(['test://a', 'test://user/7', 'test://nowhere'].map((uri) => serverSession.isSubscribed(uri))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('a session has a limited number of subscriptions', async () => {
    const server = makeServer({ limits: { maxSubscriptions: 2 } });
    server.resourceTemplate({ uriTemplate: 'test://{id}', name: 't' }, () => '');
    const [session] = await join(server);
    const [other] = await join(server);
    await session.subscribe('test://1');
    await session.subscribe('test://2');
    await session.subscribe('test://2');
    await expect(session.subscribe('test://3')).rejects.toMatchObject({
      code: -32000,
      message: 'Subscription limit reached (2). Unsubscribe from a resource first.',
    });
    await session.unsubscribe('test://1');
    await session.subscribe('test://3');
    await other.subscribe('test://1');
  });

  it('the URIs that a session subscribes to have 262 144 characters at most', async () => {
    const server = makeServer();
    server.resourceTemplate({ uriTemplate: 'test://{id}', name: 't' }, () => '');
    const [session] = await join(server);
    const uri = (n: number) => `test://${String(n).padStart(8192 - 'test://'.length, 'x')}`;
    for (let n = 0; n < 32; n += 1) await session.subscribe(uri(n));
    await expect(session.subscribe('test://1')).rejects.toMatchObject({
      code: -32000,
      message: 'Subscription limit reached (262144 characters of URIs). Unsubscribe from a resource first.',
    });
    await session.subscribe(uri(0));
    await session.unsubscribe(uri(1));
    await session.subscribe('test://1');
  });
});

function makeNarrow() {
  const server = makeServer({ limits: { maxUriLength: 8 } });
  server.resource({ uri: 'test://a', name: 'a' }, () => 'A');
  return server;
}
