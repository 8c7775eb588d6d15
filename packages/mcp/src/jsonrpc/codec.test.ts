import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, Prepared } from './codec.ts';
import { NotSerializable } from './errors.ts';

const encoded = (result: unknown, id: string | number = 1) => encode({ jsonrpc: '2.0', id, result } as never);
const withText = (text: string) => ({ content: [{ type: 'text', text }] });

describe('encode', () => {
  it('writes every result as JSON.stringify does', () => {
    const item = fc.record({ type: fc.constantFrom('text', 'image'), text: fc.anything() }, { requiredKeys: [] });
    const content = fc.oneof(fc.array(item, { maxLength: 2 }), fc.anything());
    const others = fc.dictionary(fc.string(), fc.anything(), { maxKeys: 1 });
    const result = fc.tuple(content, others).map(([value, more]) => ({ content: value, ...more }));
    fc.assert(
      fc.property(fc.oneof(result, fc.string({ unit: 'binary' }).map(withText)), fc.integer(), (value, id) => {
        const message = { jsonrpc: '2.0', id, result: value };
        expect(attempt(() => encoded(value, id))).toEqual(attempt(() => JSON.stringify(message)));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['the result', { ...withText('a'), toJSON: () => 'own' }, '"own"'],
    [
      'the content',
      { content: Object.assign([{ type: 'text', text: 'a' }], { toJSON: () => 'own' }) },
      '{"content":"own"}',
    ],
    ['the text block', { content: [{ type: 'text', text: 'a', toJSON: () => 'own' }] }, '{"content":["own"]}'],
    [
      'the prototype of the text block',
      { content: [Object.assign(Object.create({ toJSON: () => 'own' }), { type: 'text', text: 'a' })] },
      '{"content":["own"]}',
    ],
  ])('calls toJSON of %s', (_, result, json) => {
    expect(encoded(result)).toBe(`{"jsonrpc":"2.0","id":1,"result":${json}}`);
  });

  it('keeps what stands beside a text', () => {
    const json = (result: object) => JSON.parse(encoded(result)).result;
    for (const result of [
      { ...withText('a'), isError: true },
      { content: [{ type: 'text', text: 'a', annotations: {} }] },
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]) {
      expect(json(result)).toEqual(result);
    }
  });

  it('escapes quotes, line ends and lone surrogates of a text', () => {
    expect(encoded(withText('"\n\ud800'), 'a"b')).toBe(
      '{"jsonrpc":"2.0","id":"a\\"b","result":{"content":[{"type":"text","text":"\\"\\n\\ud800"}]}}',
    );
  });

  it('inserts prepared JSON', () => {
    expect(encoded(new Prepared({ a: 1 }))).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1}}');
  });

  it('refuses what JSON has no form for', () => {
    expect(() => encoded(() => {})).toThrow(NotSerializable);
    expect(() => encoded({ content: 1n })).toThrow(NotSerializable);
  });
});

/** Parsed, because members may be in another order. */
function attempt(work: () => string): unknown {
  try {
    return JSON.parse(work());
  } catch {
    return 'not serializable';
  }
}
