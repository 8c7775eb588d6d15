import { describe, expect, it } from 'vitest';
import { type Asked, DISCOVERED, scriptedServer } from '../../testing/scripted-server.ts';
import { ConnectionClosed, RequestTimeout, RpcError } from '../jsonrpc/errors.ts';
import type { Message } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/types.ts';
import { Client, type ClientOptions } from './client.ts';

type Answer = { result: unknown } | { error: object } | undefined;

const text = (words: string) => ({ resultType: 'complete', content: [{ type: 'text', text: words }] });
const done = (words: string): Answer => ({ result: text(words) });
const elicitation = (field: string) => ({
  method: 'elicitation/create',
  params: { message: field, requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } } } },
});
const inputRequired = (...fields: string[]) => ({
  resultType: 'input_required',
  inputRequests: Object.fromEntries(fields.map((field) => [field, elicitation(field)])),
});

/** A session of the stateless era with a server that answers thus. */
async function connect(
  answer: (request: Asked) => Answer,
  options: ClientOptions = {},
  capabilities: ServerCapabilities = {},
) {
  const server = scriptedServer((request) =>
    request.method === 'server/discover' ? { result: { ...DISCOVERED, capabilities } } : answer(request),
  );
  const errors: string[] = [];
  const client = new Client(
    { name: 'c', version: '1' },
    { era: 'stateless', onError: ({ message }) => errors.push(message), ...options },
  );
  const session = await client.connect(server.connection);
  /** The requests after the discovery. */
  const asked = (method?: string) =>
    server.heard.messages
      .filter(({ id, method: asked }) => id !== undefined && asked !== 'server/discover')
      .filter((message) => method === undefined || message.method === method) as Asked[];
  const tell = (method: string, params: object) => server.theirs.send({ jsonrpc: '2.0', method, params } as Message);
  return { ...server, client, session, asked, tell, errors };
}

const elicit: ClientOptions['elicit'] = ({ message }) => ({
  action: 'accept',
  content: { [message]: `my ${message}` },
});

describe('a call of the stateless era', () => {
  it('says who asks, and from which level to log once that was set', async () => {
    const { session, asked } = await connect(() => done('ok'), { roots: () => [], createMessage: () => ({}) as never });
    await session.callTool('t', { a: 1 });
    await session.setLogLevel('warning');
    await session.callTool('t', {}, { onProgress: () => {} });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {
        sampling: {},
        roots: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    const progressToken = asked()[1]?.id;
    expect(asked().map(({ params }) => params)).toEqual([
      { name: 't', arguments: { a: 1 }, _meta: meta },
      { name: 't', arguments: {}, _meta: { ...meta, 'io.modelcontextprotocol/logLevel': 'warning', progressToken } },
    ]);
  });

  it('pings by discovering', async () => {
    const { session, heard } = await connect(() => undefined);
    await session.ping();
    expect(heard.messages.map(({ method }) => method)).toEqual(['server/discover', 'server/discover']);
  });

  it('takes a result without a type as complete, and refuses one of an unknown type', async () => {
    const { session } = await connect(({ params }) =>
      params.name === 'old' ? { result: { content: [] } } : { result: { resultType: 'riddle' } },
    );
    expect(await session.callTool('old')).toEqual({ content: [] });
    await expect(session.callTool('new')).rejects.toThrow(
      'The server answered tools/call with a result of the unknown type "riddle"',
    );
  });

  it('answers what the server asks, and repeats the request with that alone', async () => {
    const { session, asked } = await connect(
      ({ params }) => {
        const given = params.inputResponses as { [key: string]: { content: object } } | undefined;
        if (given === undefined) return { result: { ...inputRequired('name', 'city'), requestState: 'state "1"' } };
        if ('name' in given) return { result: inputRequired('age') };
        return done(JSON.stringify(given));
      },
      { elicit },
    );
    const result = await session.callTool('ask', { x: 1 });
    expect(result).toMatchObject({
      content: [{ text: JSON.stringify({ age: { action: 'accept', content: { age: 'my age' } } }) }],
    });
    const rounds = asked().map(({ params: { _meta, ...rest } }) => rest);
    expect(rounds).toEqual([
      { name: 'ask', arguments: { x: 1 } },
      {
        name: 'ask',
        arguments: { x: 1 },
        inputResponses: {
          name: { action: 'accept', content: { name: 'my name' } },
          city: { action: 'accept', content: { city: 'my city' } },
        },
        requestState: 'state "1"',
      },
      { name: 'ask', arguments: { x: 1 }, inputResponses: { age: { action: 'accept', content: { age: 'my age' } } } },
    ]);
    expect(new Set(asked().map(({ id }) => id)).size).toBe(3);
  });

  it('answers the questions of a prompt and of a resource too, all at once', async () => {
    const waiting: string[] = [];
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { session } = await connect(
      ({ method, params }) => {
        if (params.inputResponses === undefined) return { result: inputRequired('a', 'b') };
        return { result: method === 'prompts/get' ? { messages: [] } : { contents: [] } };
      },
      {
        elicit: async ({ message }) => {
          waiting.push(message);
          if (waiting.length === 2) release();
          await both;
          return { action: 'decline' };
        },
      },
    );
    expect(await session.getPrompt('p')).toEqual({ messages: [] });
    expect(await session.readResource('r://')).toEqual([]);
    expect(waiting).toEqual(['a', 'b', 'a', 'b']);
  });

  it('fails when the server asks for what the client did not offer', async () => {
    const { session } = await connect(() => ({ result: inputRequired('name') }));
    await expect(session.callTool('ask')).rejects.toThrow(
      'The server asks for elicitation/create, which this client did not offer',
    );
  });

  it('fails when the server does not stop asking', async () => {
    const { session, asked } = await connect(() => ({ result: { resultType: 'input_required', requestState: 'x' } }));
    await expect(session.callTool('ask')).rejects.toThrow(
      'The server still asks for input after 10 rounds of tools/call',
    );
    expect(asked()).toHaveLength(11);
  });

  it('ends with its signal while the person is asked, who is told', async () => {
    const stop = new AbortController();
    let told: unknown;
    const { session } = await connect(() => ({ result: inputRequired('name') }), {
      elicit: (_params, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            told = signal.reason;
          });
          stop.abort(new Error('never mind'));
        }),
    });
    await expect(session.callTool('ask', {}, { signal: stop.signal })).rejects.toThrow('never mind');
    expect(told).toEqual(new Error('never mind'));
  });

  it('has a time in all, whatever the rounds', async () => {
    const { session } = await connect(() => ({ result: inputRequired('name') }), {
      elicit: () => new Promise(() => {}),
    });
    await expect(session.callTool('ask', {}, { maxTimeout: 30 })).rejects.toThrow(RequestTimeout);
  });

  it('ends with the connection while the person is asked', async () => {
    const { session, theirs } = await connect(() => ({ result: inputRequired('name') }), {
      elicit: () => {
        void theirs.close('power cut');
        return new Promise(() => {});
      },
    });
    await expect(session.callTool('ask')).rejects.toThrow(ConnectionClosed);
  });

  it('that is given up is cancelled on the wire', async () => {
    const { session, heard, asked } = await connect(() => undefined);
    const stop = new AbortController();
    const call = session.callTool('slow', {}, { signal: stop.signal });
    await heard.until(() => asked().length === 1);
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await heard.until(({ messages }) => messages.at(-1)?.method === 'notifications/cancelled');
    expect(heard.messages.at(-1)).toMatchObject({ params: { requestId: asked()[0]?.id } });
  });
});

describe('a call that becomes a task', () => {
  const task = (more: object) => ({
    taskId: 't-1',
    createdAt: '2026-01-01T00:00:00Z',
    ttlMs: null,
    pollIntervalMs: 10,
    ...more,
  });
  const created: Answer = { result: task({ resultType: 'task', status: 'working' }) };

  it('is polled until it has a result', async () => {
    let polls = 0;
    const { session, asked } = await connect(({ method }) => {
      if (method === 'tools/call') return created;
      polls += 1;
      return {
        result: polls < 3 ? task({ status: 'working' }) : task({ status: 'completed', result: text('at last') }),
      };
    });
    expect(await session.callTool('slow')).toEqual(text('at last'));
    expect(asked().map(({ method }) => method)).toEqual(['tools/call', 'tasks/get', 'tasks/get', 'tasks/get']);
    expect(asked()[1]?.params).toMatchObject({ taskId: 't-1' });
  });

  it('has each of its questions answered once', async () => {
    let polls = 0;
    const { session, asked } = await connect(
      ({ method }) => {
        if (method === 'tools/call') return created;
        if (method === 'tasks/update') return { result: { resultType: 'complete' } };
        polls += 1;
        const { inputRequests } = inputRequired(...(polls < 3 ? ['a', 'b'] : ['b', 'c']));
        return {
          result:
            polls < 5
              ? task({ status: 'input_required', inputRequests })
              : task({ status: 'completed', result: text('ok') }),
        };
      },
      { elicit },
    );
    await session.callTool('asks');
    const accepted = (field: string) => ({ [field]: { action: 'accept', content: { [field]: `my ${field}` } } });
    expect(asked('tasks/update').map(({ params }) => params.inputResponses)).toEqual([
      { ...accepted('a'), ...accepted('b') },
      accepted('c'),
    ]);
  });

  it.each<[string, object, unknown]>([
    [
      'fails',
      { status: 'failed', error: { code: -32603, message: 'broken', data: 1 } },
      new RpcError(-32603, 'broken', 1),
    ],
    [
      'is cancelled by the server',
      { status: 'cancelled', statusMessage: 'too late' },
      new Error('The server cancelled the task t-1: too late'),
    ],
    [
      'is completed without a result',
      { status: 'completed' },
      new Error('The server tells no outcome of the task t-1'),
    ],
  ])('rejects when it %s', async (_, end, reason) => {
    const { session, asked } = await connect(({ method }) =>
      method === 'tools/call' ? created : { result: task(end) },
    );
    await expect(session.callTool('slow')).rejects.toEqual(reason);
    expect(asked('tasks/cancel')).toEqual([]);
  });

  it('is cancelled when the call is given up', async () => {
    const stop = new AbortController();
    const { session, heard, asked } = await connect(({ method }) => {
      if (method === 'tasks/get') stop.abort(new Error('enough'));
      return method === 'tools/call' ? created : { result: task({ status: 'working' }) };
    });
    await expect(session.callTool('slow', {}, { signal: stop.signal })).rejects.toThrow('enough');
    await heard.until(() => asked('tasks/cancel').length === 1);
    expect(asked('tasks/cancel')[0]?.params).toMatchObject({ taskId: 't-1' });
  });

  it('is cancelled when its time is over', async () => {
    const { session, heard, asked } = await connect(({ method }) =>
      method === 'tools/call' ? created : { result: task({ status: 'working' }) },
    );
    await expect(session.callTool('slow', {}, { maxTimeout: 60 })).rejects.toThrow(RequestTimeout);
    await heard.until(() => asked('tasks/cancel').length === 1);
  });

  it('is refused on any other request', async () => {
    const { session } = await connect(() => created);
    await expect(session.getPrompt('p')).rejects.toThrow('prompts/get with a result of the unknown type "task"');
  });
});

describe('tools with headers', () => {
  const tools = (header: string) => [
    {
      name: 'good',
      inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': header } } },
    },
    { name: 'bad', inputSchema: { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } } },
  ];

  it('are listed without those whose headers are invalid, which are reported', async () => {
    const { session, errors } = await connect(() => ({ result: { tools: tools('Region') } }));
    expect((await session.listTools()).map(({ name }) => name)).toEqual(['good']);
    expect(errors).toEqual([
      'The tool bad is left out: x-mcp-header N of the property n needs the type string, integer or boolean',
    ]);
  });

  it('are called with them, and listed again when the server finds them wrong', async () => {
    let header = 'Region';
    const { connection, session, asked } = await connect(({ method }) => {
      if (method === 'tools/list') return { result: { tools: tools(header) } };
      return header === 'Zone' && sent.at(-1)?.['Mcp-Param-Zone'] === undefined
        ? { error: { code: -32020, message: 'Header mismatch' } }
        : done('ok');
    });
    const sent: Record<string, string>[] = [];
    const send = connection.send.bind(connection);
    connection.send = (message, hints) => {
      sent.push({ ...hints?.headers });
      send(message, hints);
    };
    await session.listTools();
    await session.callTool('good', { region: 'eu west ' });
    header = 'Zone';
    await session.callTool('good', { region: 'eu' });
    expect(asked().map(({ method }) => method)).toEqual([
      'tools/list',
      'tools/call',
      'tools/call',
      'tools/list',
      'tools/call',
    ]);
    expect(sent.filter((headers) => 'Mcp-Name' in headers)).toEqual([
      { 'Mcp-Name': 'good', 'Mcp-Param-Region': '=?base64?ZXUgd2VzdCA=?=' },
      { 'Mcp-Name': 'good', 'Mcp-Param-Region': 'eu' },
      { 'Mcp-Name': 'good', 'Mcp-Param-Zone': 'eu' },
    ]);
  });
});

describe('a subscription of the stateless era', () => {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } };
  const id = (subscriptionId: unknown) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': subscriptionId } });

  /** The server acknowledges every listen that comes. */
  async function listening(options: ClientOptions = {}) {
    const server = await connect(() => undefined, options, capabilities);
    const listens = () => server.asked('subscriptions/listen');
    const filters = () => listens().map(({ params }) => params.notifications);
    const acknowledge = async (count: number, honoured?: object) => {
      await server.heard.until(() => listens().length === count);
      const { id: listen, params } = listens()[count - 1] as Asked;
      const notifications = honoured ?? params.notifications;
      server.tell('notifications/subscriptions/acknowledged', { notifications, ...id(listen) });
      return listen;
    };
    return { ...server, listens, filters, acknowledge };
  }

  it('is opened for what has handlers and the server offers, and opened anew when that changes', async () => {
    const { client, session, acknowledge, filters, heard, tell } = await listening();
    const news: string[] = [];
    client.onNotification('notifications/prompts/list_changed', () => news.push('prompts')); // not offered
    const registration = session.onNotification('notifications/tools/list_changed', () => news.push('tools'));
    const first = await acknowledge(1);
    tell('notifications/tools/list_changed', id(first));
    client.onNotification('notifications/resources/list_changed', () => news.push('resources'));
    const second = await acknowledge(2);
    await heard.until(({ messages }) => messages.at(-1)?.method === 'notifications/cancelled');
    expect(heard.messages.at(-1)).toMatchObject({ params: { requestId: first } });
    tell('notifications/tools/list_changed', id(first)); // told twice
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
    const { session, acknowledge, filters, heard, tell } = await listening();
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
    await heard.until(
      ({ messages }) => messages.filter(({ method }) => method === 'notifications/cancelled').length === 2,
    );
    expect(filters()).toEqual([{ resourceSubscriptions: ['r://a', 'r://b'] }, { resourceSubscriptions: ['r://b'] }]);
    expect(updates).toEqual(['r://b']);
  });

  it('to a resource that the server will not tell of is refused', async () => {
    const { session, acknowledge } = await listening();
    const subscribed = session.subscribe('r://secret');
    void acknowledge(1, {});
    await expect(subscribed).rejects.toThrow('The server does not tell of changes of r://secret');
  });

  it('where the server offers none is refused', async () => {
    const { session } = await connect(() => undefined);
    await expect(session.subscribe('r://a')).rejects.toThrow('The server offers no subscriptions to resources');
  });

  it('is opened again when it breaks, and what may have been missed is told', async () => {
    const { session, acknowledge, theirs } = await listening();
    const news: unknown[] = [];
    session.onNotification('notifications/tools/list_changed', () => news.push('tools'));
    const heard = new Promise<void>((resolve) => {
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
    await heard;
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

describe('an accepted form', () => {
  it('gets the defaults of what was left out', async () => {
    const properties = {
      name: { type: 'string', default: 'John' },
      age: { type: 'integer', default: 30 },
      verified: { type: 'boolean', default: true },
      city: { type: 'string' },
    };
    const request = { method: 'elicitation/create', params: { message: 'who?', requestedSchema: { properties } } };
    const { session, asked } = await connect(
      ({ params }) =>
        params.inputResponses === undefined
          ? { result: { resultType: 'input_required', inputRequests: { who: request } } }
          : done('ok'),
      { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) },
    );
    await session.callTool('ask');
    expect(asked()[1]?.params.inputResponses).toEqual({
      who: { action: 'accept', content: { name: 'Ada', age: 30, verified: true } },
    });
  });
});
