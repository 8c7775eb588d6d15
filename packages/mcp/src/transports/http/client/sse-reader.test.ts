import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseReader } from './sse-reader.ts';

function read(parts: readonly string[], limit = 10_000) {
  const data: string[] = [];
  const oversized: string[][] = [];
  const reader = new SseReader(
    { data: (text) => data.push(text), oversized: (head, tail) => oversized.push([head, tail]) },
    limit,
  );
  for (const part of parts) reader.push(part);
  const { lastEventId, retry, eventsRead } = reader;
  return { data, oversized, lastEventId, retry, eventsRead };
}

describe('an event stream', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('is read with %s at the ends of lines', (_, end) => {
    const text = [': hello', 'event: message', 'id: 1', 'data: {"a":1}', '', 'data:x', 'data: y', '', ''].join(end);
    expect(read([text])).toMatchObject({ data: ['{"a":1}', 'x\ny'], lastEventId: '1' });
  });

  it('is the same wherever it is cut', () => {
    const text =
      '\ufeffid: a\r\nretry: 500\r\ndata: \r\n\r\nevent: message\rid: b\rdata: é😀\rdata: two\r\r: c\ndata: end\n\n';
    const whole = read([text]);
    expect(whole).toMatchObject({ data: ['é😀\ntwo', 'end'], lastEventId: 'b', retry: 500, eventsRead: 3 });
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts, text.length].sort((a, b) => a - b);
        const parts = places.slice(1).map((place, index) => text.slice(places[index], place));
        expect(read(parts)).toEqual(whole);
      }),
    );
  });

  it('tells of no event that carries nothing, is of another type, or is not finished', () => {
    const { data, lastEventId } = read(['id: 7\ndata:\n\nevent: ping\ndata: x\n\ndata: unfinished\nid: 8\n']);
    expect({ data, lastEventId }).toEqual({ data: [], lastEventId: '7' });
  });

  it('ignores what it cannot mean', () => {
    const { retry, lastEventId, data } = read(['retry: soon\nid: a\0b\nunknown: x\ndata\ndata: y\n\n']);
    expect({ retry, lastEventId, data }).toEqual({ retry: undefined, lastEventId: undefined, data: ['\ny'] });
  });

  it('keeps of an event over the limit its beginning and its end, and reads on', () => {
    const json = `{"jsonrpc":"2.0","id":5,"result":"${'x'.repeat(5000)}"}`;
    const parts = [`data: ${json.slice(0, 900)}`, json.slice(900, 3000), json.slice(3000), '\n\ndata: next\n\n'];
    const { data, oversized } = read(parts, 1000);
    expect(data).toEqual(['next']);
    expect(oversized).toHaveLength(1);
    expect(oversized[0]?.[0]).toContain('{"jsonrpc":"2.0","id":5,');
    expect(oversized[0]?.[1]).toContain('x"}');
  });

  it('begins anew after a cut, and knows where it was', () => {
    const data: string[] = [];
    const reader = new SseReader({ data: (text) => data.push(text), oversized: () => {} }, 1000);
    reader.push('id: 1\ndata: a\n\ndata: ha');
    reader.restart();
    reader.push('data: b\n\n');
    expect({ data, id: reader.lastEventId }).toEqual({ data: ['a', 'b'], id: '1' });
  });
});
