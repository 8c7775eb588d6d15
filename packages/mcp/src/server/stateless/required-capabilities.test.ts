import { describe, expect, it } from 'vitest';
import { ALL, form, PROMPT, serverWith, textOf } from '../../../testing/question-server.ts';
import { openMemory, request, stateless } from '../../../testing/raw-wire.ts';
import type { InputRequest } from '../../protocol/stateless.ts';

describe('a question that the client cannot be asked', () => {
  const asked: [InputRequest, declared: object[], missing: object, enough: object[]][] = [
    [
      form('Who?'),
      [{}, { elicitation: { url: {} } }, { elicitation: null }, { sampling: {} }],
      { elicitation: { form: {} } },
      [{ elicitation: {} }, { elicitation: { form: {} } }, { elicitation: { form: {}, url: {} } }],
    ],
    [
      { method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'https://a.b', elicitationId: 'e' } },
      [{}, { elicitation: {} }, { elicitation: { form: {} } }, { elicitation: null }],
      { elicitation: { url: {} } },
      [{ elicitation: { url: {} } }],
    ],
    [
      { method: 'sampling/createMessage', params: PROMPT },
      [{}, { sampling: null }],
      { sampling: {} },
      [{ sampling: {} }],
    ],
    [
      { method: 'sampling/createMessage', params: { ...PROMPT, tools: [] } },
      [{}, { sampling: {} }],
      { sampling: { tools: {} } },
      [{ sampling: { tools: {} } }],
    ],
    [
      { method: 'roots/list' },
      [{}, { elicitation: {} }],
      { roots: {} },
      [{ roots: {} }, { roots: { listChanged: true } }],
    ],
  ];

  it('fails the request, which says what it needs', async () => {
    for (const [ask, declared, requiredCapabilities, enough] of asked) {
      const wire = openMemory(serverWith(async ({ questions }) => JSON.stringify(await questions.ask({ q: ask }))));
      for (const capabilities of declared) {
        expect(await wire.call('it', {}, capabilities)).toMatchObject({
          error: { code: -32021, data: { requiredCapabilities } },
        });
      }
      for (const capabilities of enough) {
        expect(await wire.call('it', {}, capabilities)).toMatchObject({ result: { resultType: 'input_required' } });
      }
    }
  });

  it('may be avoided by a handler that looks first, or that does without', async () => {
    const wire = openMemory(
      serverWith(async (context) => {
        if (context.clientCapabilities.elicitation === undefined) return 'looked first';
        return context.listRoots().then(
          () => 'asked',
          () => 'did without',
        );
      }),
    );
    expect(textOf(await wire.call('it', {}, {}))).toBe('looked first');
    expect(textOf(await wire.call('it', {}, { elicitation: {} }))).toBe('did without');
  });

  it('is an ordinary failure of the tool in a session', async () => {
    const wire = openMemory(serverWith(async (context) => JSON.stringify(await context.listRoots())));
    await wire.initialize({});
    const { result } = await wire.responseTo(request('tools/call', { name: 'it' }));
    expect(result).toMatchObject({ isError: true, content: [{ text: 'raw does not offer roots' }] });
  });

  it('goes by what this very request declares', async () => {
    const wire = openMemory(serverWith(async (context) => JSON.stringify(await context.listRoots())));
    await wire.initialize(ALL);
    expect(await wire.call('it', {}, {})).toMatchObject({ error: { code: -32021 } });
    wire.send(stateless('tools/call', { name: 'it' }, { roots: {} }));
    expect(await wire.next()).toMatchObject({ result: { resultType: 'input_required' } });
  });
});
