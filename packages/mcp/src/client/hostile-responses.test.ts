import { describe, expect, it } from 'vitest';
import { connect, endless, failure, SESSION, STATELESS, tool, VERSIONS } from '../../testing/client-session.ts';
import { DISCOVERED, scriptedServer } from '../../testing/scripted-server.ts';
import { RequestTimeout } from '../jsonrpc/errors.ts';
import type { Message } from '../jsonrpc/message.ts';
import { Client } from './client.ts';
import type { ClientSession } from './session.ts';

describe.each(VERSIONS)('a list of a server of %s', (version) => {
  const odd: [string, unknown, (session: ClientSession) => Promise<unknown>, string][] = [
    ['tools', { tools: [null] }, (s) => s.listTools(), 'tools[0] must be an object, got null'],
    ['tools', { tools: [tool({}), 5] }, (s) => s.listTools(), 'tools[1] must be an object, got number'],
    ['tools', { tools: [{}] }, (s) => s.listTools(), 'tools[0].name must be a string, got undefined'],
    [
      'tools',
      { tools: [tool({ inputSchema: 5 })] },
      (s) => s.listTools(),
      'tools[0].inputSchema must be an object, got number',
    ],
    [
      'tools',
      { tools: [tool({ outputSchema: [] })] },
      (s) => s.listTools(),
      'tools[0].outputSchema must be an object, got array',
    ],
    ['tools', { tools: { length: 3 } }, (s) => s.listTools(), 'tools must be an array, got object'],
    ['tools', null, (s) => s.listTools(), 'must be an object, got null'],
    ['tools', 'tools', (s) => s.listTools(), 'must be an object, got string'],
    [
      'cursor',
      { tools: [], nextCursor: { toString: 1 } },
      (s) => s.listTools(),
      'nextCursor must be a string, got object',
    ],
    ['prompts', { prompts: [[]] }, (s) => s.listPrompts(), 'prompts[0] must be an object, got array'],
    ['prompts', { prompts: [{ name: 5 }] }, (s) => s.listPrompts(), 'prompts[0].name must be a string, got number'],
    [
      'resources',
      { resources: [{ name: 'x' }] },
      (s) => s.listResources(),
      'resources[0].uri must be a string, got undefined',
    ],
    [
      'templates',
      { resourceTemplates: [{}] },
      (s) => s.listResourceTemplates(),
      'resourceTemplates[0].uriTemplate must be a string, got undefined',
    ],
  ];
  it.each(odd)('of %s that is %j is a clear error', async (_, result, call, message) => {
    const { session } = await connect(version, () => ({ result }));
    expect(await failure(call(session))).toMatch(/^The server's response to [a-z/]+ is malformed: /);
    expect(await failure(call(session))).toContain(message);
  });

  it('may have as many items as the limit says, and one more is a clear error', async () => {
    const result = { tools: Array.from({ length: 10 }, () => tool({})) };
    const connected = await connect(version, () => ({ result }), { limits: { maxListItems: 10 } });
    expect(await connected.session.listTools()).toHaveLength(10);
    const { session } = await connect(version, () => ({ result }), { limits: { maxListItems: 9 } });
    expect(await failure(session.listTools())).toBe(
      'The server lists more than 9 items for tools/list (limit maxListItems)',
    );
  });

  it('of 149 000 items on one page does not overflow the stack where the limit allows it', async () => {
    const result = { resources: Array.from({ length: 149_000 }, () => ({ uri: 'a:b' })) };
    const { session } = await connect(version, () => ({ result }), { limits: { maxListItems: 149_000 } });
    expect(await session.listResources()).toHaveLength(149_000);
    const other = await connect(version, () => ({ result }));
    expect(await failure(other.session.listResources())).toBe(
      'The server lists more than 100000 items for resources/list (limit maxListItems)',
    );
  });

  it('with endless cursors ends at maxTimeout', async () => {
    const { session } = await connect(version, endless().response, { limits: { maxListPages: 10_000_000 } });
    await expect(session.listTools({ maxTimeout: 100 })).rejects.toThrow(RequestTimeout);
  });

  it('with endless cursors ends at the limit of pages', async () => {
    const { response, pages } = endless();
    const { session } = await connect(version, response);
    expect(await failure(session.listTools())).toBe(
      'The server has more than 1000 pages for tools/list (limit maxListPages)',
    );
    expect(pages()).toBe(1000);
  });

  it('with pages that hold many bytes ends at the limit of bytes', async () => {
    const { response, pages } = endless([tool({ description: 'x'.repeat(1000) })]);
    const { session } = await connect(version, response, { limits: { maxListBytes: 5000 } });
    expect(await failure(session.listTools())).toBe(
      'The server lists more than 5000 bytes for tools/list (limit maxListBytes)',
    );
    expect(pages()).toBeLessThan(7);
  });
});

it('a list of many small values counts as the memory that they take', async () => {
  const { response, pages } = endless([tool({ _meta: { items: Array(1000).fill({}) } })]);
  const { session } = await connect('2025-11-25', response, { limits: { maxListBytes: 300_000 } });
  expect(await failure(session.listTools())).toBe(
    'The server lists more than 300000 bytes for tools/list (limit maxListBytes)',
  );
  expect(pages()).toBe(3); // of 3 KB each
});

it.each(['maxListPages', 'maxListItems', 'maxListBytes', 'maxSchemaMs'])(
  'a limit %s must be a positive integer',
  (name) => {
    for (const value of [0, -1, 1.5, Number.NaN, '5' as never]) {
      expect(() => new Client({ name: 'c', version: '1' }, { limits: { [name]: value } })).toThrow(
        `limits.${name} must be a positive integer, got ${value}`,
      );
    }
  },
);

describe.each(VERSIONS)('a result of a server of %s', (version) => {
  const odd: [string, unknown, (session: ClientSession) => Promise<unknown>, string][] = [
    ['a tool', null, (s) => s.callTool('t'), 'must be an object, got null'],
    ['a tool', [], (s) => s.callTool('t'), 'must be an object, got array'],
    ['a tool', { content: 5 }, (s) => s.callTool('t'), 'content must be an array, got number'],
    ['a tool', { content: [null] }, (s) => s.callTool('t'), 'content[0] must be an object, got null'],
    ['a tool', { content: [{}] }, (s) => s.callTool('t'), 'content[0].type must be a string, got undefined'],
    ['a prompt', {}, (s) => s.getPrompt('p'), 'messages must be an array, got undefined'],
    ['a prompt', { messages: [null] }, (s) => s.getPrompt('p'), 'messages[0] must be an object, got null'],
    ['a resource', 5, (s) => s.readResource('a:b'), 'must be an object, got number'],
    ['a resource', { contents: null }, (s) => s.readResource('a:b'), 'contents must be an array, got null'],
    ['a resource', { contents: ['x'] }, (s) => s.readResource('a:b'), 'contents[0] must be an object, got string'],
    [
      'a completion',
      {},
      (s) => s.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }),
      'completion must be an object, got undefined',
    ],
    [
      'a completion',
      { completion: { values: [1] } },
      (s) => s.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }),
      'completion.values[0] must be a string, got number',
    ],
    ['health', 'ok', (s) => s.health(), 'must be an object, got string'],
  ];
  it.each(odd)('of %s that is %j is a clear error', async (_, result, call, message) => {
    const { session } = await connect(version, () => ({ result }));
    expect(await failure(call(session))).toContain(message);
  });

  it('of a tool without content has an empty list of it', async () => {
    const { session } = await connect(version, () => ({ result: {} }));
    expect(await session.callTool('t')).toEqual({ content: [] });
  });
});

describe('a server of 2026-07-28', () => {
  const acknowledge = (notifications: unknown, id: unknown = 's') =>
    ({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
    }) as Message;

  it.each([[{ resourceSubscriptions: 5 }], [{ resourceSubscriptions: [null, {}] }], [5], [null], ['x'], [[]]])(
    'that acknowledges a subscription with %j leaves the client alive',
    async (notifications) => {
      const { session, theirs, received } = await connect(STATELESS, ({ method }) =>
        method === 'subscriptions/listen' ? undefined : { result: { content: [] } },
      );
      const subscribed = failure(session.subscribe('a:b'));
      await received.until(({ messages }) => messages.some(({ method }) => method === 'subscriptions/listen'));
      theirs.send(acknowledge(notifications));
      expect(await subscribed).toBe('The server does not report changes of a:b');
      expect(await session.callTool('t')).toEqual({ content: [] });
    },
  );

  it.each([
    [{ resultType: 'input_required', inputRequests: 5 }, 'inputRequests must be an object, got number'],
    [{ resultType: 'input_required', inputRequests: { a: null } }, 'inputRequests.a must be an object, got null'],
    [
      { resultType: 'input_required', inputRequests: { a: {} } },
      'inputRequests.a.method must be a string, got undefined',
    ],
    [
      { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create', params: null } } },
      'elicitation/create',
    ],
    [{ resultType: { toString: 1 } }, 'resultType must be a string, got object'],
    [{ resultType: 'task' }, 'taskId must be a string, got undefined'],
    [{ resultType: 'task', taskId: 5 }, 'taskId must be a string, got number'],
  ])('that responds to a call with %j is a clear error', async (result, message) => {
    const { session } = await connect(STATELESS, () => ({ result }), { elicit: () => ({ action: 'decline' }) });
    expect(await failure(session.callTool('t'))).toContain(message);
  });

  it.each([
    [{}, 'status must be a string, got undefined'],
    [{ status: 'completed', result: 5 }, 'must be an object, got number'],
    [{ status: 'failed', error: 5 }, 'error must be an object, got number'],
    [{ status: 'input_required', inputRequests: [null] }, 'inputRequests must be an object, got array'],
  ])('whose task is %j is a clear error', async (task, message) => {
    const { session } = await connect(STATELESS, ({ method }) => ({
      result: method === 'tools/call' ? { resultType: 'task', taskId: 'x', pollIntervalMs: -5 } : task,
    }));
    expect(await failure(session.callTool('t'))).toContain(message);
  });
});

describe('a handshake', () => {
  const start = (result: unknown, version: string) => {
    const server = scriptedServer(() => ({ result }));
    return new Client({ name: 'c', version: '1' }, { protocolVersion: version }).connect(server.connection);
  };
  it.each([
    [SESSION, 5],
    [SESSION, { protocolVersion: { toString: 1 } }],
    [SESSION, { protocolVersion: 5 }],
    [STATELESS, { supportedVersions: [{ toString: 1 }], capabilities: {} }],
    [STATELESS, { supportedVersions: 'all', capabilities: {} }],
    [STATELESS, 'x'],
  ])('of %s whose result is %j is a clear error', async (version, result) => {
    expect(await failure(start(result, version))).toMatch(/^The server (speaks MCP|did not respond)/);
  });

  it('with capabilities and facts of wrong types takes them as absent', async () => {
    const session = await start(
      {
        protocolVersion: SESSION,
        capabilities: { tools: 5, resources: null, logging: {} },
        serverInfo: 7,
        instructions: [],
      },
      SESSION,
    );
    expect(session.serverCapabilities).toEqual({ logging: {} });
    expect(session.serverInfo).toBeUndefined();
    expect(session.instructions).toBeUndefined();
    const other = await start({ ...DISCOVERED, capabilities: { tools: 5 }, _meta: 5, instructions: {} }, STATELESS);
    expect(other.serverCapabilities).toEqual({});
    expect(other.serverInfo).toBeUndefined();
  });
});

describe('a question of a server', () => {
  it.each([
    ['elicitation/create', undefined],
    ['elicitation/create', { message: 5, requestedSchema: {} }],
    ['elicitation/create', { message: 'm', requestedSchema: 'x' }],
    ['elicitation/create', { mode: 'url', message: 'm' }],
    ['sampling/createMessage', { messages: [null], maxTokens: 1 }],
    ['sampling/createMessage', { messages: [], maxTokens: 'many' }],
    ['sampling/createMessage', []],
  ])('%s with %j gets invalid params, and the handler is not called', async (method, params) => {
    let called = 0;
    const handler = () => {
      called += 1;
      return { action: 'decline' } as never;
    };
    const { theirs, received, errors } = await connect(SESSION, () => undefined, {
      elicit: handler,
      createMessage: handler,
    });
    theirs.send({ jsonrpc: '2.0', id: 'q', method, ...(params && { params }) } as Message);
    await received.until(({ messages }) => messages.some(({ id }) => id === 'q'));
    expect(received.messages.find(({ id }) => id === 'q')).toMatchObject({ error: { code: -32602 } });
    expect(called).toBe(0);
    expect(errors).toEqual([]);
  });

  it('gets defaults of the form that are of its types alone, and no prototype', async () => {
    const { theirs, received } = await connect(SESSION, () => undefined, {
      elicit: () => ({ action: 'accept', content: {} }),
    });
    const requestedSchema = JSON.parse(
      '{"type":"object","properties":{"a":{"default":1},"b":{"default":{}},"c":null,"__proto__":{"default":"p"}}}',
    );
    theirs.send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: { message: 'm', requestedSchema } });
    await received.until(({ messages }) => messages.some(({ id }) => id === 'q'));
    expect(JSON.stringify((received.messages.find(({ id }) => id === 'q') as { result?: unknown }).result)).toBe(
      '{"action":"accept","content":{"a":1,"__proto__":"p"}}',
    );
  });
});
