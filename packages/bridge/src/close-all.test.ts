import { expect, it } from 'vitest';
import { closeAll, closeNow, together } from './close-all.ts';

const failing = (message: string) => () => Promise.reject(new Error(message));
const throwing = () => {
  throw new Error('first');
};

it('closes in turn, also after a part that throws or rejects, and rejects with the first failure', async () => {
  const closed: string[] = [];
  const part = (name: string) => () => void closed.push(name);
  await expect(closeAll([part('a'), throwing, part('b'), failing('second'), part('c')])).rejects.toThrow('first');
  expect(closed).toEqual(['a', 'b', 'c']);
  await closeAll([part('d')]);
});

it('waits for all that close together, and rejects with the first failure', async () => {
  let end = () => {};
  const slow = new Promise<void>((resolve) => {
    end = resolve;
  });
  const closing = together([failing('broken'), () => slow], (close) => close());
  const settled = closing.then(
    () => 'closed',
    (error: Error) => error.message,
  );
  expect(await Promise.race([settled, Promise.resolve('waits')])).toBe('waits');
  end();
  expect(await settled).toBe('broken');
});

it('starts to close all, also after one that throws', async () => {
  const closed: string[] = [];
  await expect(together([throwing, () => void closed.push('a')], (close) => close())).rejects.toThrow('first');
  expect(closed).toEqual(['a']);
});

it('closes at once what needs no waiting, also after a part that throws, and throws the first failure', () => {
  const closed: string[] = [];
  expect(() => closeNow([throwing, () => void closed.push('a')])).toThrow('first');
  expect(closed).toEqual(['a']);
});
