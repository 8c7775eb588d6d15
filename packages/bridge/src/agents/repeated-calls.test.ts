import { describe, expect, it } from 'vitest';
import { RepeatedCalls } from './repeated-calls.ts';

describe('a call that is made again', () => {
  const calls = new RepeatedCalls<string>();
  const { signal } = new AbortController();
  const soon = { waitMs: 1, keepMs: 60_000, signal };
  const never = { waitMs: 60_000, keepMs: 60_000, signal };
  /** A question whose answer is given from outside. */
  function question() {
    let answer: (text: string) => void = () => {};
    let asked = 0;
    let markWithdrawn: () => void = () => {};
    const withdrawn = new Promise<void>((resolve) => {
      markWithdrawn = resolve;
    });
    const ask = (of: AbortSignal) => {
      asked += 1;
      of.addEventListener('abort', () => markWithdrawn());
      return new Promise<string>((resolve, reject) => {
        answer = resolve;
        of.addEventListener('abort', () => reject(new Error('Withdrawn')));
      });
    };
    return { ask, answer: (text: string) => answer(text), asked: () => asked, withdrawn };
  }

  it('gets the answer to the question of the first', async () => {
    const { ask, answer, asked } = question();
    expect(await calls.wait('a', soon, ask)).toBeUndefined();
    expect(await calls.wait('a', soon, ask)).toBeUndefined();
    answer('yes');
    expect(await calls.wait('a', never, ask)).toBe('yes');
    expect(asked()).toBe(1);
    expect(await calls.wait('a', soon, ask)).toBeUndefined();
    expect(asked()).toBe(2);
  });

  it('is another one if it differs', async () => {
    const [first, second] = [question(), question()];
    await calls.wait('b', soon, first.ask);
    await calls.wait('c', soon, second.ask);
    second.answer('no');
    expect(await calls.wait('c', never, second.ask)).toBe('no');
  });

  it('too late finds the question withdrawn', async () => {
    const { ask, withdrawn } = question();
    await calls.wait('d', { ...soon, keepMs: 1 }, ask);
    await withdrawn;
    const again = question();
    await calls.wait('d', soon, again.ask);
    expect(again.asked()).toBe(1);
  });

  it('and whose agent ends while it waits withdraws the question', async () => {
    const { ask, withdrawn } = question();
    const agent = new AbortController();
    const waits = calls.wait('e', { ...never, signal: agent.signal }, ask);
    agent.abort();
    await expect(waits).rejects.toThrow('Withdrawn');
    await withdrawn;
  });
});
