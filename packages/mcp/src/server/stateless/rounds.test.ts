import { describe, expect, it, vi } from 'vitest';
import type { Json } from '../../../testing/json.ts';
import { ALL, accept, FORM, form, PROMPT, serverWith, textOf } from '../../../testing/question-server.ts';
import { openMemory, type RawWire, request, WIRES } from '../../../testing/raw-wire.ts';
import type { InputRequest } from '../../protocol/stateless.ts';
import type { RequestContext } from '../context.ts';
import type { ToolOutcome } from '../features/tools.ts';
import { Server } from '../server.ts';

const INFO = { name: 'test', version: '1.2.3' };
const MESSAGE = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' };

/** One that takes a while to be checked against. */
const PATTERN = { ...FORM, properties: { name: { type: 'string', pattern: '^[a-z]+$' } } };

/** Responds to rounds until there is a result. `responses` may leave some questions for later. */
async function play(
  wire: RawWire,
  responses: (requests: { [key: string]: Json }, round: number) => object,
  more: object = {},
): Promise<{ final: Json; rounds: Json[] }> {
  const rounds: Json[] = [];
  let response = await wire.call('it', more, ALL);
  while (response.result?.resultType === 'input_required') {
    if (rounds.push(response.result) > 10) throw new Error('This does not end');
    const { inputRequests, requestState } = response.result;
    const inputResponses = responses(inputRequests, rounds.length);
    response = await wire.call('it', { ...more, inputResponses, requestState }, ALL);
  }
  return { final: response, rounds };
}

const RESPONSES: { [method: string]: Json } = {
  'elicitation/create': accept('Ada'),
  'sampling/createMessage': MESSAGE,
  'roots/list': { roots: [{ uri: 'file:///a' }] },
};
const respondToAll = (requests: { [key: string]: Json }) =>
  Object.fromEntries(Object.entries(requests).map(([key, { method }]) => [key, RESPONSES[method]]));

describe.each(WIRES)('over %s', (_name, open) => {
  it('a question ends the request with itself; asked again with the response, the handler goes on', async () => {
    const wire = await open(
      serverWith(async (context) => {
        const response = await context.elicit({ message: 'Who?', requestedSchema: FORM });
        return JSON.stringify(response);
      }),
    );
    const { result } = await wire.call('it', {}, ALL);
    expect(result).toEqual({
      resultType: 'input_required',
      inputRequests: {
        elicitation: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: FORM } },
      },
      requestState: expect.stringMatching(/^[\w.-]+$/),
      _meta: { 'io.modelcontextprotocol/serverInfo': INFO },
    });
    const { requestState } = result;
    const inputResponses = { elicitation: accept('Ada') };
    const final = await wire.call('it', { inputResponses, requestState }, ALL);
    expect(final.result.resultType).toBe('complete');
    expect(textOf(final)).toBe(JSON.stringify(accept('Ada')));
    // Nothing was asked of the client but by results.
    expect(wire.rest).toEqual([]);
  });

  it('the same handler asks in a session and in stateless requests', async () => {
    const wire = await open(
      serverWith(async (context) => {
        const { content } = await context.elicit({ message: 'Who?', requestedSchema: FORM });
        const { model } = await context.createMessage(PROMPT);
        const roots = await context.listRoots();
        return `${content?.name} ${model} ${roots[0]?.uri}`;
      }),
    );
    const { final, rounds } = await play(wire, respondToAll);
    expect(textOf(final)).toBe('Ada m file:///a');
    expect(rounds.map(({ inputRequests }) => Object.keys(inputRequests))).toEqual([
      ['elicitation'],
      ['sampling'],
      ['roots'],
    ]);
    await wire.initialize(ALL);
    const call = request('tools/call', { name: 'it' });
    wire.send(call);
    const asked: string[] = [];
    let message = await wire.next();
    for (; message.id !== call.id; message = await wire.next()) {
      asked.push(message.method);
      wire.send({ jsonrpc: '2.0', id: message.id, result: RESPONSES[message.method] });
    }
    expect(asked).toEqual(['elicitation/create', 'sampling/createMessage', 'roots/list']);
    expect(textOf(message)).toBe('Ada m file:///a');
  });
});

describe('several rounds', () => {
  it('carry the earlier responses in the state: each is given once', async () => {
    const handler = vi.fn(async (context: RequestContext) => {
      const names = [];
      for (const message of ['1', '2', '3']) {
        names.push((await context.elicit({ message, requestedSchema: FORM })).content?.name);
      }
      return names.join();
    });
    const wire = openMemory(serverWith(handler));
    const { final, rounds } = await play(wire, (requests, round) =>
      Object.fromEntries(Object.keys(requests).map((key) => [key, accept(`response ${round}`)])),
    );
    expect(textOf(final)).toBe('response 1,response 2,response 3');
    expect(rounds.map(({ inputRequests }) => Object.keys(inputRequests))).toEqual([
      ['elicitation'],
      ['elicitation-2'],
      ['elicitation-3'],
    ]);
    expect(new Set(rounds.map(({ requestState }) => requestState)).size).toBe(3);
    expect(handler).toHaveBeenCalledTimes(4);
  });

  it('may ask several things at once, under keys that the handler chooses', async () => {
    const wire = openMemory(
      serverWith(async ({ questions }) => {
        const responses = await questions.ask({
          who: form('Who?'),
          text: { method: 'sampling/createMessage', params: PROMPT },
          where: { method: 'roots/list' },
        });
        return JSON.stringify(responses);
      }),
    );
    const { final, rounds } = await play(wire, respondToAll);
    expect(rounds).toHaveLength(1);
    expect(Object.keys(rounds[0].inputRequests)).toEqual(['who', 'text', 'where']);
    expect(JSON.parse(textOf(final))).toEqual({ who: accept('Ada'), text: MESSAGE, where: RESPONSES['roots/list'] });
  });

  it('may get their responses one by one, in any order: only what is missing is asked again', async () => {
    const ways: ((context: RequestContext) => Promise<ToolOutcome>)[] = [
      async ({ questions }) => JSON.stringify(await questions.ask({ a: form('a'), b: form('b'), c: form('c') })),
      async ({ questions }) => {
        const all = ['a', 'b', 'c'].map((key) => questions.ask({ [key]: form(key, PATTERN) }));
        return JSON.stringify(Object.assign({}, ...(await Promise.all(all))));
      },
    ];
    for (const way of ways) {
      for (const pick of [0, -1]) {
        const wire = openMemory(serverWith(way));
        const { final, rounds } = await play(wire, (requests) => {
          const key = Object.keys(requests).at(pick) ?? '';
          return { [key]: accept(key) };
        });
        const asked = rounds.map(({ inputRequests }) => Object.keys(inputRequests).join());
        expect(asked).toEqual(pick === 0 ? ['a,b,c', 'b,c', 'c'] : ['a,b,c', 'a,b', 'a']);
        expect(JSON.parse(textOf(final))).toEqual({ a: accept('a'), b: accept('b'), c: accept('c') });
      }
    }
  });

  it('ask again when a key is wrong or missing, and ignore keys that were not asked for', async () => {
    const wire = openMemory(
      serverWith(async ({ questions }) => JSON.stringify(await questions.ask({ who: form('Who?') }))),
    );
    for (const inputResponses of [undefined, null, {}, { wrong: accept('x') }]) {
      const { result } = await wire.call('it', { inputResponses }, ALL);
      expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { who: expect.anything() } });
    }
    const inputResponses = { who: accept('Ada'), extra: 5, __proto__: { x: 1 } };
    // Without the state too: the responses are all there.
    expect(textOf(await wire.call('it', { inputResponses }, ALL))).toBe(JSON.stringify({ who: accept('Ada') }));
  });

  it('go on when the handler swallows the question: it is put all the same', async () => {
    const wire = openMemory(
      serverWith(async (context) => {
        const name = await context.elicit({ message: 'Who?', requestedSchema: FORM }).then(
          ({ content }) => content?.name,
          () => 'no response',
        );
        return `Hello ${name}`;
      }),
    );
    const { final, rounds } = await play(wire, respondToAll);
    expect(rounds).toHaveLength(1);
    expect(textOf(final)).toBe('Hello Ada');
  });

  it('go on when the handler fails for another reason once it has asked', async () => {
    const wire = openMemory(
      serverWith(async (context) => {
        const asking = context.elicit({ message: 'Who?', requestedSchema: FORM });
        const response = await asking.catch(() => undefined);
        if (response === undefined) throw new Error('I need a name');
        return `Hello ${response.content?.name}`;
      }),
    );
    expect(textOf((await play(wire, respondToAll)).final)).toBe('Hello Ada');
  });

  it('are not limited to tools', async () => {
    const server = new Server(INFO);
    const ask = async (context: RequestContext) =>
      `${(await context.elicit({ message: 'Who?', requestedSchema: FORM })).content?.name}`;
    server.prompt({ name: 'p' }, (_args, context) => ask(context));
    server.resource({ uri: 'test://r', name: 'r' }, (_uri, context) => ask(context));
    const wire = openMemory(server);
    for (const [method, params] of [
      ['prompts/get', { name: 'p' }],
      ['resources/read', { uri: 'test://r' }],
    ] as const) {
      const first = await wire.ask(method, params, ALL);
      expect(first.result).toMatchObject({ resultType: 'input_required' });
      expect(Object.keys(first.result)).not.toContain('ttlMs');
      const { requestState } = first.result;
      const second = { ...params, requestState, inputResponses: { elicitation: accept('Ada') } };
      expect(JSON.stringify((await wire.ask(method, second, ALL)).result)).toContain('"Ada"');
    }
  });
});

describe('a response', () => {
  const wireFor = (ask: InputRequest) =>
    openMemory(serverWith(async ({ questions }) => JSON.stringify((await questions.ask({ q: ask })).q)));

  it('that is declined or cancelled is one', async () => {
    const wire = wireFor(form('Who?'));
    for (const action of ['decline', 'cancel']) {
      expect(textOf(await wire.call('it', { inputResponses: { q: { action } } }, ALL))).toBe(`{"action":"${action}"}`);
    }
  });

  it('of the wrong shape is refused, and nothing is asked again', async () => {
    const wrong: [InputRequest, unknown[]][] = [
      [
        form('Who?'),
        [12345, null, 'x', [], {}, { action: 'maybe' }, accept(5), { action: 'accept' }, accept(undefined)],
      ],
      [{ method: 'sampling/createMessage', params: PROMPT }, [5, {}, { model: 'm' }, { ...MESSAGE, content: 'x' }]],
      [{ method: 'roots/list' }, [5, {}, { roots: 'x' }, { roots: null }]],
    ];
    for (const [ask, responses] of wrong) {
      const wire = wireFor(ask);
      for (const q of responses) {
        const { error } = await wire.call('it', { inputResponses: { q } }, ALL);
        expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('Invalid inputResponses.q: ') });
      }
    }
  });

  it('of the wrong shape is refused also when others are missing', async () => {
    const ways: ((context: RequestContext) => Promise<unknown>)[] = [
      ({ questions }) => questions.ask({ a: form('a'), b: form('b') }),
      ({ questions }) => Promise.all([questions.ask({ a: form('a', PATTERN) }), questions.ask({ b: form('b') })]),
    ];
    for (const way of ways) {
      const wire = openMemory(serverWith(async (context) => JSON.stringify(await way(context))));
      const { error } = await wire.call('it', { inputResponses: { a: accept(5) } }, ALL);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('inputResponses.a') });
    }
  });

  it('is one of 1000 at most', async () => {
    const wire = await openMemory(
      serverWith(async (context) => (await context.elicit({ message: 'Who?', requestedSchema: FORM })).action),
    );
    const responses = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 0]));
    const { result } = await wire.call(
      'it',
      { inputResponses: { ...responses(999), elicitation: accept('Ada') } },
      ALL,
    );
    expect(result.content[0].text).toBe('accept');
    const { error } = await wire.call('it', { inputResponses: responses(1001) }, ALL);
    expect(error).toMatchObject({
      code: -32602,
      message: 'Invalid inputResponses: 1001 responses; at most 1000 are accepted',
    });
  });

  it('is carried to the next round if it is not too long', async () => {
    const wire = await openMemory(
      serverWith(async (context) => {
        await context.elicit({ message: 'Who?', requestedSchema: FORM });
        await context.elicit({ message: 'Who?', requestedSchema: FORM });
        return 'asked';
      }),
    );
    const given = async (name: string) => wire.call('it', { inputResponses: { elicitation: accept(name) } }, ALL);
    const around = JSON.stringify([accept('')]).length;
    const { result } = await given('x'.repeat(1024 * 1024 - around));
    expect(result.resultType).toBe('input_required');
    const { error } = await given('x'.repeat(1024 * 1024 - around + 1));
    expect(error).toMatchObject({
      code: -32602,
      message: 'Invalid inputResponses: the responses have 1048577 characters; at most 1048576 are accepted',
    });
  });

  it('is to be in an object', async () => {
    const wire = wireFor(form('Who?'));
    for (const inputResponses of [[], 'x', 5, true]) {
      expect(await wire.call('it', { inputResponses }, ALL)).toMatchObject({ error: { code: -32602 } });
    }
  });
});

describe('a state', () => {
  async function firstRound(params: object = {}) {
    const server = serverWith(async ({ questions }) => {
      const first = await questions.ask({ a: form('a') });
      const second = await questions.ask({ b: form('b') });
      return JSON.stringify({ ...first, ...second });
    });
    server.tool({ name: 'other' }, () => 'other');
    server.prompt({ name: 'it' }, async (_args, { questions }) =>
      JSON.stringify(await questions.ask({ a: form('a') })),
    );
    const wire = openMemory(server);
    const { result } = await wire.call('it', { ...params, inputResponses: { a: accept('one') } }, ALL);
    expect(Object.keys(result.inputRequests)).toEqual(['b']);
    return { server, wire, requestState: result.requestState as string };
  }
  const second = (requestState: unknown) => ({ requestState, inputResponses: { b: accept('two') } });

  it('that was changed, made up, or is no text is refused', async () => {
    const { wire, requestState } = await firstRound();
    const [body, signature] = requestState.split('.');
    const wrong = [`${requestState}-TAMPERED`, `${body}.`, `.${signature}`, body, 'x', '', 5, {}, [requestState], true];
    for (const state of wrong) {
      const { error } = await wire.call('it', second(state), ALL);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('requestState') });
    }
    expect(textOf(await wire.call('it', second(requestState), ALL))).toBe(
      JSON.stringify({ a: accept('one'), b: accept('two') }),
    );
  });

  it('of another server is refused', async () => {
    const { requestState } = await firstRound();
    const { wire } = await firstRound();
    expect(await wire.call('it', second(requestState), ALL)).toMatchObject({ error: { code: -32602 } });
  });

  it('is refused with other arguments, another tool or another method; members may change their order', async () => {
    const { wire, requestState } = await firstRound({ arguments: { x: 1, y: { z: 2, w: 3 } } });
    const otherwise = [{}, { arguments: {} }, { arguments: { x: 1, y: { z: 2, w: 4 } } }, { arguments: { x: '1' } }];
    for (const params of otherwise) {
      expect(await wire.call('it', { ...params, ...second(requestState) }, ALL)).toMatchObject({
        error: { code: -32602 },
      });
    }
    const same = { arguments: { y: { w: 3, z: 2 }, x: 1 } };
    expect(await wire.call('other', { ...same, ...second(requestState) }, ALL)).toMatchObject({
      error: { code: -32602 },
    });
    expect(await wire.ask('prompts/get', { name: 'it', ...same, ...second(requestState) }, ALL)).toMatchObject({
      error: { code: -32602 },
    });
    expect(await wire.call('it', { ...same, ...second(requestState) }, ALL)).toMatchObject({
      result: { resultType: 'complete' },
    });
  });

  it('goes over any connection, and may be used again', async () => {
    const { server, requestState } = await firstRound();
    for (let n = 0; n < 2; n += 1) {
      expect(await openMemory(server).call('it', second(requestState), ALL)).toMatchObject({
        result: { resultType: 'complete' },
      });
    }
  });

  it('that is an hour old is refused', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { wire, requestState } = await firstRound();
      vi.advanceTimersByTime(3_600_000);
      expect(await wire.call('it', second(requestState), ALL)).toMatchObject({ error: { code: -32602 } });
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not show the responses of others: a response given again replaces the earlier one', async () => {
    const { wire, requestState } = await firstRound();
    const inputResponses = { a: accept('better'), b: accept('two') };
    expect(textOf(await wire.call('it', { requestState, inputResponses }, ALL))).toBe(
      JSON.stringify({ a: accept('better'), b: accept('two') }),
    );
  });
});
