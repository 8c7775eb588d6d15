import { expect, it } from 'vitest';
import { expectThat } from './expectations.ts';

it('an answer is put into words only if it is wrong: a right one may be too deep for that', () => {
  let answer: unknown = {};
  for (let depth = 0; depth < 20_000; depth += 1) answer = [answer];
  const inWords = () => JSON.stringify(answer);
  expect(inWords).toThrow(RangeError);
  expect(expectThat(true, inWords, 'anything')).toBeUndefined();
  expect(expectThat(false, () => 'null', 'a result')).toEqual({ seen: 'null', expected: 'a result' });
});
