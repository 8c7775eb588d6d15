import { expect, it } from 'vitest';
import { words } from './words.ts';

it.each([
  ['', []],
  ['  bwrap  --ro-bind / / ', ['bwrap', '--ro-bind', '/', '/']],
  ['a "b c" \'d "e"\' f\\ g', ['a', 'b c', 'd "e"', 'f g']],
  ['"" x""y', ['', 'xy']],
  ['"a\\"b\\\\c\\d"', ['a"b\\c\\d']],
  ['$HOME *', ['$HOME', '*']],
])('%j is taken apart as a shell would', (line, expected) => {
  expect(words(line)).toEqual(expected);
});

it.each(['"a', "'a", 'a\\'])('%j is refused', (line) => {
  expect(() => words(line)).toThrow();
});
