import { describe, expect, it } from 'vitest';
import { SharedCalls } from './shared-calls.ts';

describe('a call that is made again', () => {
  const calls = new SharedCalls<string>();
  const { signal } = new AbortController();
  const soon = { waitMs: 1, keepMs: 60_000 };
  const never = { waitMs: 60_000, keepMs: 60_000 };
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
    expect(await calls.wait('a', signal, ask, soon)).toBeUndefined();
    expect(await calls.wait('a', signal, ask, soon)).toBeUndefined();
    answer('yes');
    expect(await calls.wait('a', signal, ask, never)).toBe('yes');
    expect(asked()).toBe(1);
    expect(await calls.wait('a', signal, ask, soon)).toBeUndefined();
    expect(asked()).toBe(2);
  });

  it('is another one if it differs', async () => {
    const [first, second] = [question(), question()];
    await calls.wait('b', signal, first.ask, soon);
    await calls.wait('c', signal, second.ask, soon);
    second.answer('no');
    expect(await calls.wait('c', signal, second.ask, never)).toBe('no');
  });

  it('too late finds the question withdrawn', async () => {
    const { ask, withdrawn } = question();
    await calls.wait('d', signal, ask, { ...soon, keepMs: 1 });
    await withdrawn;
    const again = question();
    await calls.wait('d', signal, again.ask, soon);
    expect(again.asked()).toBe(1);
  });

  it('and whose agent ends while it waits withdraws the question', async () => {
    const { ask, withdrawn } = question();
    const agent = new AbortController();
    const waits = calls.wait('e', agent.signal, ask, never);
    agent.abort();
    await expect(waits).rejects.toThrow('Withdrawn');
    await withdrawn;
  });
});
