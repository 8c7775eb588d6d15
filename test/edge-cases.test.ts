import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { negotiate, type RawClient, type RawTransport, startRaw } from './raw-client.ts';

const PROGRAM = './fixtures/edge-server.mjs';
let client: RawClient;

afterEach(() => client?.close());

const call = (id: unknown, name: unknown, args: unknown = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

async function start(transport: RawTransport, revision?: string, env?: Record<string, string>) {
  client = await startRaw(PROGRAM, transport, env);
  if (revision !== undefined) await negotiate(client, revision);
  return client;
}

/** The connection lives if it still answers; anything unread before that would show here. */
async function expectAlive() {
  client.send({ jsonrpc: '2.0', id: 'alive?', method: 'ping' });
  expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 'alive?', result: {} });
}

describe.each<RawTransport>(['stdio', 'ws'])('over %s', (transport) => {
  it('invalid JSON is answered with -32700 and the connection lives', async () => {
    await start(transport);
    client.send('{"jsonrpc":"2.0","id":1,"method":');
    expect(await client.next()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    await expectAlive();
  });

  it.each([
    ['2024-11-05', { id: null }],
    ['2025-03-26', { id: null }],
    ['2025-06-18', { id: null }],
    ['2025-11-25', {}],
  ])('a parse error under %s carries the id that revision wants', async (revision, id) => {
    await start(transport, revision);
    client.send('nonsense');
    const error = { code: -32700, message: expect.stringMatching(/^Parse error: .*nonsense/) };
    expect(await client.next()).toEqual({ jsonrpc: '2.0', ...id, error });
  });

  it.each([
    ['a number', '42', null],
    ['a string', '"hello"', null],
    ['null', 'null', null],
    ['an object without jsonrpc', '{"id":3,"method":"ping"}', 3],
    ['another jsonrpc version', '{"jsonrpc":"1.0","id":"x","method":"ping"}', 'x'],
    ['a method that is no string', '{"jsonrpc":"2.0","id":0,"method":1}', 0],
    ['params that are no structure', '{"jsonrpc":"2.0","id":5,"method":"ping","params":"bar"}', 5],
    ['neither method nor result', '{"jsonrpc":"2.0","id":6}', 6],
  ])('%s is answered with -32600 and the id where it can be read', async (_what, text, id) => {
    await start(transport);
    client.send(text);
    expect(await client.next()).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32600 } });
    await expectAlive();
  });

  it.each(['null', '1.5', 'true', '9007199254740993', '{}', '[]'])('the id %s is answered with -32600', async (id) => {
    await start(transport);
    client.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    const message = 'Invalid request: "id" must be a string or an integer';
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });
    await expectAlive();
  });

  it('a request before initialize is rejected, ping and health are answered', async () => {
    await start(transport);
    client.send({ jsonrpc: '2.0', id: 0, method: 'tools/list' });
    const message = 'Not initialized: send initialize before tools/list';
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 0, error: { code: -32600, message } });
    client.send({ jsonrpc: '2.0', id: 1, method: 'health' });
    expect(await client.next()).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25', state: 'waiting' } });
    await expectAlive();
  });

  it('a batch is answered as one array at 2025-03-26', async () => {
    await start(transport, '2025-03-26');
    client.send([
      call(1, 'soon', { text: 'later' }),
      { jsonrpc: '2.0', method: 'notifications/whatever' },
      { jsonrpc: '2.0', id: 'p', method: 'ping' },
      { jsonrpc: '2.0', id: true, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'no/such/method' },
    ]);
    const answers = await client.next();
    expect(answers).toHaveLength(4);
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'later' }] } });
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    expect(answers).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
    );
    expect(answers).toContainEqual(
      expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32601 }) }),
    );
    await expectAlive();
  });

  it('a batch of notifications alone is not answered, an empty or overlong batch is an error', async () => {
    await start(transport, '2025-03-26');
    client.send([{ jsonrpc: '2.0', method: 'notifications/whatever' }]);
    await expectAlive();
    client.send([]);
    expect(await client.next()).toMatchObject({ id: null, error: { code: -32600 } });
    client.send(Array.from({ length: 1025 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    expect(await client.next()).toMatchObject({
      id: null,
      error: { code: -32600, message: expect.stringContaining('1024') },
    });
    await expectAlive();
  });

  it.each([undefined, '2024-11-05', '2025-06-18', '2025-11-25'])(
    'a batch is refused when the revision is %s',
    async (revision) => {
      await start(transport, revision);
      client.send([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
      const { error } = await client.next();
      expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('batches are not') });
      await expectAlive();
    },
  );

  it.each(['missing', '__proto__', 'toString', 'constructor', ''])(
    'the unknown tool "%s" is answered with -32602',
    async (name) => {
      await start(transport, '2025-11-25');
      client.send(call(0, name));
      const error = { code: -32602, message: `Unknown tool: ${name}` };
      expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 0, error });
    },
  );

  it.each([
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call' }, 'Invalid params for tools/call: name must be a string'],
    [
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: [] },
      'Invalid params for tools/call: name must be a string',
    ],
    [call(1, 5), 'Invalid params for tools/call: name must be a string'],
    [call(1, 'echo', [1]), 'Invalid params for tools/call: arguments must be an object'],
    [call(1, 'echo', 'text'), 'Invalid params for tools/call: arguments must be an object'],
  ])('malformed tools/call params %j are answered with a readable -32602', async (request, message) => {
    await start(transport, '2025-11-25');
    client.send(request);
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32602, message } });
  });

  it.each([
    ['2024-11-05', 'error'],
    ['2025-03-26', 'error'],
    ['2025-06-18', 'error'],
    ['2025-11-25', 'result'],
  ])(
    'arguments that break the schema are answered, under %s, with an %s that names the path',
    async (revision, kind) => {
      await start(transport, revision);
      client.send(call(1, 'echo', { text: 7 }));
      const message = 'Invalid arguments for tool echo: arguments.text: expected string, got number';
      expect(await client.next()).toEqual(
        kind === 'error'
          ? { jsonrpc: '2.0', id: 1, error: { code: -32602, message } }
          : { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: message }], isError: true } },
      );
    },
  );

  it('initialize without protocolVersion is answered with -32602 and can be repeated', async () => {
    await start(transport);
    client.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { capabilities: {} } });
    const message = 'Invalid params for initialize: protocolVersion must be a string';
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 0, error: { code: -32602, message } });
    expect(await negotiate(client)).toMatchObject({ protocolVersion: '2025-11-25' });
    client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } });
    expect(await client.next()).toMatchObject({ id: 1, error: { code: -32600, message: 'Already initialized' } });
  });

  it('a second request with an id still in flight is answered with -32600, the first goes on', async () => {
    await start(transport, '2025-11-25');
    client.send(call(0, 'wait', { text: 'first' }));
    client.send(call(0, 'echo', { text: 'second' }));
    expect(await client.next()).toMatchObject({ id: 0, error: { code: -32600 } });
    client.send(call('0', 'go', { text: 'first' }));
    expect(await client.next()).toMatchObject({ id: '0', result: {} });
    expect(await client.next()).toMatchObject({ id: 0, result: { content: [{ text: 'first went' }] } });
    client.send(call(0, 'echo', { text: 'free again' }));
    expect(await client.next()).toMatchObject({ id: 0, result: { content: [{ text: 'free again' }] } });
  });

  it('a message over the size limit is answered with an error and the connection lives', async () => {
    await start(transport, '2025-11-25', { MAX_MESSAGE_BYTES: '10000' });
    const error = { code: -32600, message: 'Message is larger than the limit of 10000 bytes' };
    client.send(call(7, 'echo', { text: 'x'.repeat(300_000) }));
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 7, error });
    client.send(`{"method":"tools/call","params":{"text":"${'x'.repeat(20_000)}"},"jsonrpc":"2.0","id":0}`);
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 0, error });
    client.send('y'.repeat(100_000));
    expect(await client.next()).toEqual({ jsonrpc: '2.0', error });
    await expectAlive();
  });

  it('a leading byte order mark, CRLF and blank lines are tolerated', async () => {
    await start(transport);
    client.send('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}\r');
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    for (const blank of ['', '\r', '   ', '\t\r']) client.send(blank);
    client.send('  {"jsonrpc":"2.0","id":2,"method":"ping"}  \r');
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
    await expectAlive();
  });

  it('an unknown method is answered with -32601, an unknown notification and a stray answer with nothing', async () => {
    await start(transport, '2025-11-25');
    client.send({ jsonrpc: '2.0', method: 'notifications/unknown', params: { x: 1 } });
    client.send({ jsonrpc: '2.0', id: 99, result: {} });
    client.send({ jsonrpc: '2.0', id: 98, error: { code: 1, message: 'm' } });
    client.send({ jsonrpc: '2.0', id: 1, method: 'toString' });
    expect(await client.next()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: 'Method not found: toString' },
    });
    await expectAlive();
  });

  it('a cancelled call is not answered and its id is free again', async () => {
    await start(transport, '2025-11-25');
    client.send(call(1, 'wait', { text: 'never' }));
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
    client.send(call(1, 'echo', { text: 'reused' }));
    expect(await client.next()).toMatchObject({ id: 1, result: { content: [{ text: 'reused' }] } });
    client.send(call(2, 'go', { text: 'never' }));
    expect(await client.next()).toMatchObject({ id: 2 });
    await expectAlive();
  });
});

describe('a server on stdio', () => {
  it('answers what can be answered when stdin closes, then exits with 0', async () => {
    await start('stdio', '2025-11-25');
    client.send(call(1, 'soon', { text: 'just in time' }));
    client.process.stdin?.end('{"jsonrpc":"2.0","id":2,"method":"ping"}');
    const answers = [await client.next(), await client.next()];
    expect(answers).toContainEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: 'just in time' }] },
    });
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 2, result: {} });
    expect(await once(client.process, 'exit')).toEqual([0, null]);
  });

  it('exits with 0 when stdin closes at once', async () => {
    await start('stdio');
    client.process.stdin?.end();
    expect(await once(client.process, 'exit')).toEqual([0, null]);
  });

  it('exits with 0 when stdout is closed', async () => {
    await start('stdio', '2025-11-25');
    client.process.stdout?.destroy();
    const exited = once(client.process, 'exit');
    client.send(call(1, 'echo', { text: 'to nobody' }));
    expect(await exited).toEqual([0, null]);
  });

  it('writes nothing but messages to stdout, whatever its handlers print', async () => {
    await start('stdio', '2025-11-25');
    client.send(call(1, 'chatter'));
    // Anything else on stdout would have broken the parsing of lines.
    expect(await client.next()).toMatchObject({ id: 1, result: { content: [{ text: 'said it' }] } });
    await expectAlive();
  });

  it('reports invalid UTF-8 with -32700 and lives', async () => {
    await start('stdio', '2025-11-25');
    client.process.stdin?.write(Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]));
    const message = 'Parse error: the line is not valid UTF-8';
    expect(await client.next()).toEqual({ jsonrpc: '2.0', error: { code: -32700, message } });
    await expectAlive();
  });

  it('reads messages split and joined at any byte', async () => {
    await start('stdio', '2025-11-25');
    const bytes = Buffer.from(
      `${JSON.stringify(call(1, 'echo', { text: 'ä😀' }))}\n${JSON.stringify(call(2, 'echo', { text: 'b' }))}\n`,
    );
    for (const byte of bytes) client.process.stdin?.write(Buffer.from([byte]));
    expect(await client.next()).toMatchObject({ id: 1, result: { content: [{ text: 'ä😀' }] } });
    expect(await client.next()).toMatchObject({ id: 2, result: { content: [{ text: 'b' }] } });
  });
});
