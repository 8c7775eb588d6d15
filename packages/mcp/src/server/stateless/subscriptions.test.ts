import { describe, expect, it } from 'vitest';
import type { Json } from '../../../testing/json.ts';
import { openMemory, type RawWire, request, stateless, TASKS, WIRES } from '../../../testing/raw-wire.ts';
import { Server } from '../server.ts';
import type { ServerOptions } from '../server-options.ts';

const INFO = { name: 'test', version: '1.2.3' };
const ID = 'io.modelcontextprotocol/subscriptionId';

function makeServer(options: ServerOptions = {}): Server {
  const server = new Server(INFO, options);
  server.tool({ name: 'one' }, () => '');
  server.prompt({ name: 'one' }, () => '');
  server.resource({ uri: 'test://one', name: 'one' }, () => '');
  server.resource({ uri: 'test://two', name: 'two' }, () => '');
  return server;
}

/** Subscribes, and reads the acknowledgement. */
async function listen(
  wire: RawWire,
  notifications: object,
  capabilities: object = {},
): Promise<{ id: number; ack: Json }> {
  const { id, ...rest } = stateless('subscriptions/listen', { notifications }, capabilities);
  wire.send({ id, ...rest });
  return { id, ack: await wire.next() };
}

/** Everything that has come by the time the server has responded to a further request. */
async function received(wire: RawWire): Promise<Json[]> {
  await wire.ask('server/discover');
  const all = [];
  for (let n = wire.rest.length; n > 0; n -= 1) all.push(await wire.next());
  return all;
}

const changeAll = (server: Server) => {
  const name = crypto.randomUUID();
  server.tool({ name }, () => '');
  server.prompt({ name }, () => '');
  server.resource({ uri: `test://${name}`, name }, () => '');
  server.resourceUpdated('test://one');
  server.resourceUpdated('test://two');
};

describe.each(WIRES)('over %s, a subscription', (_name, open) => {
  it('is acknowledged with the changes that it will report, then gets them, each with its own id', async () => {
    const server = makeServer();
    const wire = await open(server);
    const wanted = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['test://one'] };
    const { id, ack } = await listen(wire, wanted);
    expect(ack).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: wanted, _meta: { [ID]: id } },
    });
    changeAll(server);
    const notifications = [await wire.next(), await wire.next(), await wire.next()];
    for (const { params } of notifications) expect(params._meta).toEqual({ [ID]: id });
    expect(notifications.map(({ method, params }) => [method, params.uri]).sort()).toEqual([
      ['notifications/prompts/list_changed', undefined],
      ['notifications/resources/updated', 'test://one'],
      ['notifications/tools/list_changed', undefined],
    ]);
    expect(await received(wire)).toEqual([]);
  });

  it('ends without a response when it is cancelled', async () => {
    const server = makeServer();
    const wire = await open(server);
    const { id } = await listen(wire, { toolsListChanged: true });
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    await wire.ask('server/discover');
    changeAll(server);
    expect(await received(wire)).toEqual([]);
  });

  it('ends with its result when the server closes', async () => {
    const server = makeServer();
    const wire = await open(server);
    const { id } = await listen(wire, { toolsListChanged: true });
    const closing = server.close();
    expect(await wire.next()).toEqual({
      jsonrpc: '2.0',
      id,
      result: { resultType: 'complete', _meta: { [ID]: id, 'io.modelcontextprotocol/serverInfo': INFO } },
    });
    await closing;
  });
});

describe('a subscription', () => {
  it('hears of nothing but what it asked for', async () => {
    const cases: [wanted: object, methods: string[]][] = [
      [{}, []],
      [{ toolsListChanged: true }, ['notifications/tools/list_changed']],
      [{ promptsListChanged: true }, ['notifications/prompts/list_changed']],
      [{ resourcesListChanged: true }, ['notifications/resources/list_changed']],
      [{ resourceSubscriptions: ['test://one', 'test://two'] }, Array(2).fill('notifications/resources/updated')],
      [{ resourceSubscriptions: ['test://three'] }, []],
      [{ toolsListChanged: false, promptsListChanged: true }, ['notifications/prompts/list_changed']],
    ];
    for (const [wanted, methods] of cases) {
      const server = makeServer();
      const wire = openMemory(server);
      await listen(wire, wanted);
      changeAll(server);
      expect((await received(wire)).map(({ method }) => method)).toEqual(methods);
    }
  });

  it('is granted only what the server offers', async () => {
    const all = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['test://one'],
    };
    const granted = async (server: Server, wanted: object = all) =>
      (await listen(openMemory(server), wanted)).ack.params.notifications;
    expect(await granted(makeServer())).toEqual(all);
    expect(await granted(new Server(INFO))).toEqual({});
    const modest = makeServer({ capabilities: { tools: {}, resources: { listChanged: true } } });
    expect(await granted(modest)).toEqual({ promptsListChanged: true, resourcesListChanged: true });
    const odd = { toolsListChanged: false, resourceSubscriptions: 'test://one', unheard: true };
    expect(await granted(makeServer(), odd)).toEqual({});
  });

  it('is granted as many resources as the limit allows, and 262 144 characters of URIs', async () => {
    const server = new Server(INFO, { limits: { maxSubscriptions: 40 } });
    server.resourceTemplate({ uriTemplate: 'test://{id}', name: 't' }, () => '');
    const wire = await openMemory(server);
    const granted = async (uris: readonly string[]) =>
      (await listen(wire, { resourceSubscriptions: uris })).ack.params.notifications.resourceSubscriptions;
    const short = Array.from({ length: 41 }, (_, n) => `test://${n}`);
    expect(await granted(short)).toEqual(short.slice(0, 40));
    const long = short.map((uri) => uri.padEnd(8192, 'x'));
    expect(await granted(long)).toEqual(long.slice(0, 32));
  });

  it('that does not say what it wants is refused', async () => {
    const wire = openMemory(makeServer());
    for (const params of [{}, { notifications: null }, { notifications: [] }, { notifications: 'all' }]) {
      expect(await wire.ask('subscriptions/listen', params)).toMatchObject({ error: { code: -32602 } });
    }
  });

  it('is one of several: each gets notifications with its own id, also over one connection', async () => {
    const server = makeServer();
    const [one, two] = [openMemory(server), openMemory(server)];
    const ids = [
      (await listen(one, { toolsListChanged: true })).id,
      (await listen(one, { toolsListChanged: true, promptsListChanged: true })).id,
      (await listen(two, { toolsListChanged: true })).id,
    ];
    server.tool({ name: 'new' }, () => '');
    const subscriptionIds = async (wire: RawWire) => (await received(wire)).map(({ params }) => params._meta[ID]);
    expect(await subscriptionIds(one)).toEqual(ids.slice(0, 2));
    expect(await subscriptionIds(two)).toEqual(ids.slice(2));
    one.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: ids[0] } });
    await received(one);
    server.tool({ name: 'newer' }, () => '');
    expect(await subscriptionIds(one)).toEqual([ids[1]]);
  });

  it('keeps the type of its id', async () => {
    const wire = openMemory(makeServer());
    for (const id of ['listen:0', 0, 1_700_000_000_000, '0']) {
      wire.send({ ...stateless('subscriptions/listen', { notifications: {} }), id });
      expect((await wire.next()).params._meta[ID]).toBe(id);
    }
  });

  it('does not get in the way of a session on the same connection', async () => {
    const server = makeServer();
    const wire = openMemory(server);
    await wire.initialize();
    await wire.responseTo(request('resources/subscribe', { uri: 'test://two' }));
    const { id } = await listen(wire, { resourceSubscriptions: ['test://one'] });
    server.resourceUpdated('test://one');
    server.resourceUpdated('test://two');
    const notifications = [await wire.next(), await wire.next()];
    expect(notifications.map(({ params }) => [params.uri, params._meta?.[ID]])).toEqual([
      ['test://one', id],
      ['test://two', undefined],
    ]);
  });

  it('to tasks needs a client that knows them, and is granted for tasks that are there', async () => {
    const server = makeServer({ tasks: {} });
    server.tool({ name: 'work' }, (_args, context) => context.task(() => new Promise(() => {})));
    const wire = openMemory(server);
    expect(await wire.ask('subscriptions/listen', { notifications: { taskIds: [] } })).toMatchObject({
      error: {
        code: -32021,
        data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      },
    });
    const { result } = await wire.call('work', {}, TASKS);
    const { ack } = await listen(wire, { taskIds: [result.taskId, 'no such task'] }, TASKS);
    expect(ack.params.notifications).toEqual({ taskIds: [result.taskId] });
    const without = makeServer();
    expect((await listen(openMemory(without), { taskIds: ['x'] }, TASKS)).ack.params.notifications).toEqual({});
  });
});
