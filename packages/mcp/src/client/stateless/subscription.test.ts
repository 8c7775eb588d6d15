import { describe, expect, it } from 'vitest';
import type { Asked } from '../../../testing/scripted-server.ts';
import { connect } from '../../../testing/stateless-client.ts';
import { ConnectionClosed } from '../../jsonrpc/errors.ts';
import type { ClientOptions } from '../client.ts';

describe('a subscription with a stateless server', () => {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } };
  const id = (subscriptionId: unknown) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': subscriptionId } });

  /** The server acknowledges every listen that comes. */
  async function listening(options: ClientOptions = {}) {
    const server = await connect(() => undefined, options, capabilities);
    const listens = () => server.asked('subscriptions/listen');
    const filters = () => listens().map(({ params }) => params.notifications);
    const acknowledge = async (count: number, honoured?: object) => {
      await server.received.until(() => listens().length === count);
      const { id: listen, params } = listens()[count - 1] as Asked;
      const notifications = honoured ?? params.notifications;
      server.tell('notifications/subscriptions/acknowledged', { notifications, ...id(listen) });
      return listen;
    };
    return { ...server, listens, filters, acknowledge };
  }

  it('is opened for what has handlers and the server offers, and opened anew when that changes', async () => {
    const { client, session, acknowledge, filters, received, tell } = await listening();
    const news: string[] = [];
    client.onNotification('notifications/prompts/list_changed', () => news.push('prompts')); // not offered
    const registration = session.onNotification('notifications/tools/list_changed', () => news.push('tools'));
    const first = await acknowledge(1);
    tell('notifications/tools/list_changed', id(first));
    client.onNotification('notifications/resources/list_changed', () => news.push('resources'));
    const second = await acknowledge(2);
    await received.until(({ messages }) => messages.at(-1)?.method === 'notifications/cancelled');
    expect(received.messages.at(-1)).toMatchObject({ params: { requestId: first } });
    tell('notifications/tools/list_changed', id(first)); // a duplicate
    tell('notifications/tools/list_changed', id(second));
    await session.ping();
    registration.remove();
    await acknowledge(3);
    expect(filters()).toEqual([
      { toolsListChanged: true },
      { toolsListChanged: true, resourcesListChanged: true },
      { resourcesListChanged: true },
    ]);
    expect(news).toEqual(['tools', 'tools']);
  });

  it('holds the resources that are subscribed to, and none is open when nothing is wanted', async () => {
    const { session, acknowledge, filters, received, tell } = await listening();
    const updates: string[] = [];
    session.onNotification('notifications/resources/updated', ({ uri }) => updates.push(uri));
    const both = Promise.all([session.subscribe('r://a'), session.subscribe('r://b')]);
    const first = await acknowledge(1);
    await both;
    tell('notifications/resources/updated', { uri: 'r://b', ...id(first) });
    const less = session.unsubscribe('r://a');
    await acknowledge(2);
    await less;
    await session.unsubscribe('r://b');
    await received.until(
      ({ messages }) => messages.filter(({ method }) => method === 'notifications/cancelled').length === 2,
    );
    expect(filters()).toEqual([{ resourceSubscriptions: ['r://a', 'r://b'] }, { resourceSubscriptions: ['r://b'] }]);
    expect(updates).toEqual(['r://b']);
  });

  it('to a resource whose changes the server does not report is refused', async () => {
    const { session, acknowledge } = await listening();
    const subscribed = session.subscribe('r://secret');
    void acknowledge(1, {});
    await expect(subscribed).rejects.toThrow('The server does not report changes of r://secret');
  });

  it('to a resource with a long URI is refused with a short message', async () => {
    const { session, acknowledge } = await listening();
    const subscribed = session.subscribe(`r://${'x'.repeat(100_000)}`);
    void acknowledge(1, {});
    const { message } = await subscribed.then(
      () => expect.fail('subscribed'),
      (error: Error) => error,
    );
    expect(message).toMatch(/^The server does not report changes of r:\/\/xxx/);
    expect(message.length).toBeLessThan(300);
  });

  it('where the server offers none is refused', async () => {
    const { session } = await connect(() => undefined);
    await expect(session.subscribe('r://a')).rejects.toThrow('The server offers no subscriptions to resources');
  });

  it('is opened again when it breaks, and everything that may have changed is reported', async () => {
    const { session, acknowledge, theirs } = await listening();
    const news: unknown[] = [];
    session.onNotification('notifications/tools/list_changed', () => news.push('tools'));
    const received = new Promise<void>((resolve) => {
      session.onNotification('notifications/resources/updated', ({ uri }) => {
        news.push(uri);
        resolve();
      });
    });
    const subscribed = session.subscribe('r://a');
    const first = await acknowledge(1);
    await subscribed;
    theirs.send({ jsonrpc: '2.0', id: first, error: { code: -32000, message: 'gone', data: { network: 'ended' } } });
    await acknowledge(2);
    await received;
    expect(news).toEqual(['tools', 'r://a']);
  });

  it('ends with the session', async () => {
    const { session } = await listening();
    const subscribed = session.subscribe('r://a');
    const refused = expect(subscribed).rejects.toThrow(ConnectionClosed);
    await session.close();
    await refused;
  });
});
