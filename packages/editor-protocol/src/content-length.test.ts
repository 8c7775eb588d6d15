import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameReader, frameOf } from './content-length.ts';

function bodies(chunks: readonly Buffer[], maxBytes = 1000): string[] {
  const reader = new FrameReader(maxBytes);
  const found: string[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let body = reader.take(); body !== undefined; body = reader.take()) found.push(body);
  }
  return found;
}

it('bodies come out as they were framed, wherever the bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 40 })),
      fc.integer({ min: 1, max: 50 }),
      (texts, size) => {
        const bytes = Buffer.concat(texts.map(frameOf));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(bodies(chunks)).toEqual(texts);
      },
    ),
  );
});

it('other headers are ignored, and names of headers have no case', () => {
  expect(bodies([Buffer.from('Content-Type: x\r\ncontent-length: 2\r\n\r\n{}')])).toEqual(['{}']);
});

it.each([
  ['what is no header', 'hello\n', 'is not a message: "hello\\n"'],
  ['a header without a length', 'Content-Type: x\r\n\r\n', 'a header without Content-Length: "Content-Type: x"'],
  ['too large a message', 'Content-Length: 1001\r\n\r\n', 'a message of 1001 bytes; the limit is 1000'],
  [
    'a header that ends with line feeds alone',
    'Content-Length: 2\n\n{}',
    'A message begins with Content-Length: N\\r\\n',
  ],
  [
    'what follows too short a length',
    'Content-Length: 1\r\n\r\n{}Content',
    'Is the Content-Length before it the number',
  ],
  ['a header without an end', `X: ${'x'.repeat(5000)}`, 'is not a message'],
])('%s is refused', (_, text, message) => {
  expect(() => bodies([Buffer.from(text)])).toThrow(message);
});
