import { describe, expect, it } from 'vitest';
import { connect, done, elicit, inputRequired, text } from '../../../testing/stateless-client.ts';
import { ConnectionClosed, RequestTimeout } from '../../jsonrpc/errors.ts';
import { httpHintsOf } from '../../protocol/http-hints.ts';

describe('a call to a stateless server', () => {
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
    const { session, received } = await connect(() => undefined);
    await session.ping();
    expect(received.messages.map(({ method }) => method)).toEqual(['server/discover', 'server/discover']);
  });

  it('takes a result without a type as complete, and refuses one of an unknown type', async () => {
    const { session } = await connect(({ params }) =>
      params.name === 'old' ? { result: { content: [] } } : { result: { resultType: 'riddle' } },
    );
    expect(await session.callTool('old')).toEqual({ content: [] });
    await expect(session.callTool('new')).rejects.toThrow(
      'The server responded to tools/call with a result of the unknown type "riddle"',
    );
  });

  it('responds to what the server asks, and repeats the request with that alone', async () => {
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

  it('responds to the questions of a prompt and of a resource too, all at once', async () => {
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

  it('responds to 100 questions at once, and fails when there is one more', async () => {
    const asking = async (count: number) => {
      let isAsked = false;
      const { session } = await connect(
        () => {
          if (isAsked) return { result: text('done') };
          isAsked = true;
          return { result: inputRequired(...Array.from({ length: count }, (_, n) => `${n}`)) };
        },
        { elicit },
      );
      return session.callTool('ask');
    };
    expect(await asking(100)).toEqual(text('done'));
    await expect(asking(101)).rejects.toThrow('The server asks more than 100 questions at once');
  });

  it('fails when the server does not stop asking', async () => {
    const { session, asked } = await connect(() => ({ result: { resultType: 'input_required', requestState: 'x' } }));
    await expect(session.callTool('ask')).rejects.toThrow(
      'The server still asks for input after 10 rounds of tools/call',
    );
    expect(asked()).toHaveLength(11);
  });

  it('ends with its signal while the user is asked, and aborts the handler', async () => {
    const stop = new AbortController();
    let aborted: unknown;
    const { session } = await connect(() => ({ result: inputRequired('name') }), {
      elicit: (_params, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            aborted = signal.reason;
          });
          stop.abort(new Error('never mind'));
        }),
    });
    await expect(session.callTool('ask', {}, { signal: stop.signal })).rejects.toThrow('never mind');
    expect(aborted).toEqual(new Error('never mind'));
  });

  it('has a time in all, whatever the rounds', async () => {
    const { session } = await connect(() => ({ result: inputRequired('name') }), {
      elicit: () => new Promise(() => {}),
    });
    await expect(session.callTool('ask', {}, { maxTimeout: 30 })).rejects.toThrow(RequestTimeout);
  });

  it('ends with the connection while the user is asked', async () => {
    const { session, theirs } = await connect(() => ({ result: inputRequired('name') }), {
      elicit: () => {
        void theirs.close('power cut');
        return new Promise(() => {});
      },
    });
    await expect(session.callTool('ask')).rejects.toThrow(ConnectionClosed);
  });

  it('that is given up is cancelled on the wire', async () => {
    const { session, received, asked } = await connect(() => undefined);
    const stop = new AbortController();
    const call = session.callTool('slow', {}, { signal: stop.signal });
    await received.until(() => asked().length === 1);
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await received.until(({ messages }) => messages.at(-1)?.method === 'notifications/cancelled');
    expect(received.messages.at(-1)).toMatchObject({ params: { requestId: asked()[0]?.id } });
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
      sent.push({ ...httpHintsOf(hints).headers });
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
