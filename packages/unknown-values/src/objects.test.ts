import { describe, expect, it } from 'vitest';
import { listOrEmpty, memberAt } from './objects.ts';

describe('a member by its path', () => {
  it.each([
    [{ a: { b: 1 } }, ['a', 'b'], 1],
    [{ a: { b: null } }, ['a', 'b'], null],
    [{ a: null }, ['a', 'b'], undefined],
    [{ a: 'text' }, ['a', 'length'], undefined],
    [{ a: [1] }, ['a', '0'], undefined],
    [undefined, ['a'], undefined],
    [7, [], 7],
  ])('of %j at %j is %j', (value, names, member) => {
    expect(memberAt(value, ...names)).toBe(member);
  });
});

it('what is no array has no items', () => {
  expect(listOrEmpty([1])).toEqual([1]);
  expect(listOrEmpty({ length: 1, 0: 1 })).toEqual([]);
});
