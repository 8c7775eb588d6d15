import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseReader } from './sse-reader.ts';

const ONE_BYTE = Buffer.from('x');

/** The text, cut after these bytes. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const ends = [0, ...places, bytes.length].sort((a, b) => a - b);
  return ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));
}

function read(parts: readonly (string | Buffer)[], limit = 10_000) {
  const data: string[] = [];
  const oversized: string[][] = [];
  const reader = new SseReader(
    { data: (text) => data.push(text), oversized: (head, tail) => oversized.push([head, tail]) },
    limit,
  );
  for (const part of parts) reader.push(Buffer.from(part as string));
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
      fc.property(fc.array(fc.nat(Buffer.byteLength(text)), { maxLength: 8 }), (cuts) => {
        expect(read(cut(text, cuts))).toEqual(whole);
      }),
    );
  });

  it('passes on no event that is empty, of another type, or incomplete', () => {
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

  it('may have as many bytes as the limit says, and not one more', () => {
    const text = 'é'.repeat(50);
    expect(read([`data: ${text}\n\n`], 100)).toMatchObject({ data: [text], oversized: [] });
    expect(read([`data: ${text}x\n\n`], 100)).toMatchObject({ data: [], oversized: [[`${text}x`, `${text}x`]] });
    const lines = `data: ${'x'.repeat(49)}\ndata: ${'x'.repeat(50)}\n`;
    expect(read(cut(`${lines}\n`, [30, 70]), 100).data).toEqual([`${'x'.repeat(49)}\n${'x'.repeat(50)}`]);
    expect(read(cut(`${lines}data: y\n\ndata: z\n\n`, [30, 70]), 100)).toMatchObject({
      data: ['z'],
      oversized: [[expect.stringMatching(/^x{49}/), expect.stringContaining('y')]],
    });
  });

  it('with a comment or a field without end takes no memory for it, and is read on', () => {
    const parts = [':', 'x'.repeat(5000), 'x'.repeat(5000), '\nid: ', '1'.repeat(9000), '\ndata: a\n\n'];
    expect(read(parts, 100)).toEqual({
      data: ['a'],
      oversized: [],
      lastEventId: undefined,
      retry: undefined,
      eventsRead: 1,
    });
  });

  it('in chunks of one byte takes no more memory than in one', () => {
    const reader = new SseReader({ data: () => {}, oversized: () => {} }, 10_000_000);
    const before = process.memoryUsage().heapUsed;
    reader.push(Buffer.from('data: '));
    for (let n = 0; n < 2_000_000; n += 1) reader.push(ONE_BYTE);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(32 * 1024 * 1024);
  });

  it('begins anew after a cut, and knows where it was', () => {
    const data: string[] = [];
    const reader = new SseReader({ data: (text) => data.push(text), oversized: () => {} }, 1000);
    reader.push(Buffer.from('id: 1\ndata: a\n\ndata: ha'));
    reader.restart();
    reader.push(Buffer.from('data: b\n\n'));
    expect({ data, id: reader.lastEventId }).toEqual({ data: ['a', 'b'], id: '1' });
  });
});
