import { describe, expect, it } from 'vitest';
import type { Question } from './calls.ts';
import { Questions } from './questions.ts';

const FORM = { message: 'Who?', requestedSchema: { type: 'object' } } as const;
const SAMPLING = { messages: [], maxTokens: 1 };
const accept = { kind: 'elicitation', result: { action: 'accept' } } as const;

function make() {
  const events: string[] = [];
  const questions = new Questions({
    added: ({ id, kind }: Question) => events.push(`added ${id} ${kind}`),
    removed: (id) => events.push(`removed ${id}`),
  });
  return { questions, events, signal: new AbortController().signal };
}

describe('a question of the server', () => {
  it('waits for the user, and is answered once', async () => {
    const { questions, events, signal } = make();
    const answer = questions.elicit(FORM, signal);
    expect(questions.open).toEqual([{ id: '1', kind: 'elicitation', params: FORM }]);
    questions.answer({ id: '1', answer: accept });
    expect(await answer).toEqual({ action: 'accept' });
    expect(events).toEqual(['added 1 elicitation', 'removed 1']);
    expect(() => questions.answer({ id: '1', answer: accept })).toThrow('no longer waits for this answer');
  });

  it('is withdrawn when the server does not wait any longer', async () => {
    const { questions, events } = make();
    const controller = new AbortController();
    const answer = questions.elicit(FORM, controller.signal);
    controller.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    expect(events).toEqual(['added 1 elicitation', 'removed 1']);
    expect(questions.open).toEqual([]);
    await expect(questions.elicit(FORM, controller.signal)).rejects.toThrow('gone');
    expect(events).toHaveLength(2);
  });

  it('about a message of a model can be refused, and the server learns it', async () => {
    const { questions, signal } = make();
    const answer = questions.createMessage(SAMPLING, signal);
    questions.answer({ id: '1', answer: { kind: 'refused' } });
    await expect(answer).rejects.toMatchObject({ code: -1, message: 'User rejected sampling request' });
  });

  it('stays open after an answer of another kind', async () => {
    const { questions, signal } = make();
    const answer = questions.createMessage(SAMPLING, signal);
    expect(() => questions.answer({ id: '1', answer: accept })).toThrow('not an answer to a question of kind sampling');
    const result = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' } as const;
    questions.answer({ id: '1', answer: { kind: 'sampling', result } });
    expect(await answer).toEqual(result);
  });

  it('is refused if too many wait', () => {
    const { questions, signal } = make();
    for (let count = 0; count < 20; count += 1) void questions.elicit(FORM, new AbortController().signal);
    expect(() => questions.elicit(FORM, signal)).toThrow('Too many questions at once: 20 wait for the user');
  });
});
