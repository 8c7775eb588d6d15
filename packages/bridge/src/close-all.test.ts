import { expect, it } from 'vitest';
import { closeAll, together } from './close-all.ts';

const failing = (message: string) => () => Promise.reject(new Error(message));

it('closes in turn, also after a part that throws or rejects, and rejects with the first failure', async () => {
  const closed: string[] = [];
  const part = (name: string) => () => void closed.push(name);
  const throwing = () => {
    throw new Error('first');
  };
  await expect(closeAll([part('a'), throwing, part('b'), failing('second'), part('c')])).rejects.toThrow('first');
  expect(closed).toEqual(['a', 'b', 'c']);
  await closeAll([part('d')]);
});

it('waits for all that close together, and rejects with the first failure', async () => {
  let end = () => {};
  const slow = new Promise<void>((resolve) => {
    end = resolve;
  });
  const closing = together([failing('broken')(), slow]);
  const settled = closing.then(
    () => 'closed',
    (error: Error) => error.message,
  );
  expect(await Promise.race([settled, Promise.resolve('waits')])).toBe('waits');
  end();
  expect(await settled).toBe('broken');
});
