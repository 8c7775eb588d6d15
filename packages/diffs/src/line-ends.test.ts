import fc from 'fast-check';
import { expect, it } from 'vitest';
import { restoreLineEnds } from './line-ends.ts';

const plain = (text: string) => text.replaceAll('\r\n', '\n');

it.each([
  ['LF', 'a\nb\n', 'a\nc\n', 'a\nc\n'],
  ['CRLF', 'a\r\nb\r\n', 'a\nc\nd\n', 'a\r\nc\r\nd\r\n'],
  ['CRLF without a final line end', 'a\r\nb', 'a\nc', 'a\r\nc'],
  ['mostly CRLF', 'a\r\nb\nc\r\n', 'a\nb\nC\nd\n', 'a\r\nb\nC\r\nd\r\n'],
  ['mostly LF', 'a\nb\r\nc\nd\n', 'x\nb\nc\nd\n', 'x\nb\r\nc\nd\n'],
])('a text gets the line ends of a file with %s', (_what, original, text, expected) => {
  expect(restoreLineEnds(text, original)).toBe(expected);
});

it('whatever the texts are, only line ends differ, and an unchanged text becomes the original', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '\r\n', '\n', ' ')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, texts, (original, other) => {
      expect(plain(restoreLineEnds(plain(other), original))).toBe(plain(other));
      expect(restoreLineEnds(plain(original), original)).toBe(original);
    }),
  );
});
