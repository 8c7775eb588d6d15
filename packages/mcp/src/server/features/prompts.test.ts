import { describe, expect, it } from 'vitest';
import { join, makeServer } from '../../../testing/server-session.ts';

describe('prompts and completion', () => {
  const withPrompts = () => {
    const server = makeServer();
    const languages = ['python', 'pascal', 'perl', 'ruby'];
    server.prompt(
      {
        name: 'review',
        description: 'Reviews code',
        arguments: [
          { name: 'code', required: true },
          { name: 'language', complete: (value) => languages.filter((each) => each.startsWith(value)) },
        ],
      },
      ({ code, language = 'any' }) => `Review this ${language} code: ${code}`,
    );
    server.prompt({ name: 'chat' }, async () => ({
      messages: [{ role: 'assistant', content: { type: 'text', text: 'Hello' } }],
    }));
    server.resourceTemplate(
      {
        uriTemplate: 'file:///{dir}/{name}',
        name: 'file',
        complete: { name: async (value, { dir }) => Array.from({ length: 250 }, (_, n) => `${dir}-${value}${n}`) },
      },
      () => '',
    );
    return server;
  };

  it('prompts are listed and got; a missing or wrong argument is -32602', async () => {
    const [session] = await join(withPrompts());
    expect(await session.listPrompts()).toEqual([
      {
        name: 'review',
        description: 'Reviews code',
        arguments: [{ name: 'code', required: true }, { name: 'language' }],
      },
      { name: 'chat' },
    ]);
    expect(await session.getPrompt('review', { code: 'x=1' })).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Review this any code: x=1' } }],
    });
    expect(await session.getPrompt('chat')).toMatchObject({ messages: [{ role: 'assistant' }] });
    const refused = (message: string) => ({ code: -32602, message });
    await expect(session.getPrompt('review')).rejects.toMatchObject(
      refused('Invalid params for prompts/get: prompt review needs the argument code'),
    );
    await expect(session.request('prompts/get', { name: 'review', arguments: { code: 1 } })).rejects.toMatchObject(
      refused('Invalid params for prompts/get: arguments.code: expected string, got number'),
    );
    await expect(session.getPrompt('toString')).rejects.toMatchObject(refused('Unknown prompt: toString'));
  });

  it('completes arguments of prompts and variables of templates, at most a hundred at a time', async () => {
    const [session] = await join(withPrompts());
    expect(session.serverCapabilities.completions).toEqual({});
    const prompt = { type: 'ref/prompt', name: 'review' } as const;
    expect(await session.complete({ ref: prompt, argument: { name: 'language', value: 'p' } })).toEqual({
      values: ['python', 'pascal', 'perl'],
      total: 3,
      hasMore: false,
    });
    expect(await session.complete({ ref: prompt, argument: { name: 'code', value: '' } })).toMatchObject({
      values: [],
    });
    const completion = await session.complete({
      ref: { type: 'ref/resource', uri: 'file:///{dir}/{name}' },
      argument: { name: 'name', value: 'n' },
      context: { arguments: { dir: 'src' } },
    });
    expect(completion).toMatchObject({ total: 250, hasMore: true });
    expect(completion.values).toHaveLength(100);
    expect(completion.values[0]).toBe('src-n0');
    for (const params of [
      {},
      { ref: 5, argument: 'x' },
      { ref: { type: 'ref/prompt', name: 'no' }, argument: { name: 'a', value: '' } },
    ]) {
      await expect(session.request('completion/complete', params)).rejects.toMatchObject({ code: -32602 });
    }
  });
});
