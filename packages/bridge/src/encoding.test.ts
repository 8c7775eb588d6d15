import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from './encoding.ts';

describe('encoding', () => {
  it.each([
    ['utf8', [0x61, 0xc3, 0xa4, 0x0a], 'aä\n'],
    ['utf8', [], ''],
    ['utf8-bom', [0xef, 0xbb, 0xbf, 0x61], 'a'],
    ['utf8-bom', [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], '\ufeff'],
    ['utf16le', [0xff, 0xfe, 0x3d, 0xd8, 0x00, 0xde], '😀'],
    ['utf16le', [0xff, 0xfe, 0x3d, 0xd8], '\ud83d'],
    ['utf16be', [0xfe, 0xff, 0xd8, 0x3d, 0xde, 0x00], '😀'],
    ['latin1', [0xff, 0xfe, 0x61], 'ÿþa'],
    ['latin1', [0x61, 0xe4, 0x80], 'aä\x80'],
    ['latin1', [0xef, 0xbb, 0xbf, 0xff], 'ï»¿ÿ'],
  ] as const)('%s: %j', (encoding, bytes, text) => {
    expect(decode(Buffer.from(bytes))).toEqual({ text, encoding });
    expect([...encode(text, encoding)]).toEqual(bytes);
  });

  it('any bytes come back exactly', () => {
    const mark = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]);
    fc.assert(
      fc.property(mark, fc.uint8Array(), (first, rest) => {
        const bytes = Buffer.from([...first, ...rest]);
        const { text, encoding } = decode(bytes);
        expect(encode(text, encoding).equals(bytes)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('what an encoding cannot hold is refused and not replaced', () => {
    expect(() => encode('a\ud83d', 'utf8')).toThrow('one half of a surrogate pair');
    expect(() => encode('a€', 'latin1')).toThrow('has no character €');
  });
});
