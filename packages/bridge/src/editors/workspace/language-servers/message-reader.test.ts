import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LimitedMessageReader, type ReaderLimits } from './message-reader.ts';

const LIMITS: ReaderLimits = { maxMessageBytes: 1000, maxMessages: 50 };
const framed = (message: unknown) => {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** Feeds the reader and waits for a number of messages, or for an error. */
async function read(chunks: readonly (string | Buffer)[], count: number, limits = LIMITS) {
  const stream = new PassThrough();
  const reader = new LimitedMessageReader(stream, limits);
  const messages: unknown[] = [];
  const errors: string[] = [];
  await new Promise<void>((resolve) => {
    reader.onError((error) => {
      errors.push(error.message);
      resolve();
    });
    reader.listen((message) => {
      messages.push(message);
      if (messages.length === count) resolve();
    });
    for (const chunk of chunks) stream.write(chunk);
  });
  return { messages, errors, stream };
}

const ping = { jsonrpc: '2.0', method: 'ping 😀' };

describe('the reader of a language server', () => {
  it.each([
    ['in one piece', [framed(ping) + framed(ping)]],
    ['byte by byte', [...Buffer.from(framed(ping) + framed(ping))].map((byte) => Buffer.from([byte]))],
    ['with other headers', [`Content-Type: x; charset=utf-8\r\n${framed(ping)}`, framed(ping).toLowerCase()]],
  ])('reads messages %s', async (_, chunks) => {
    const { messages, errors } = await read(chunks, 2);
    expect(messages).toEqual([ping, ping]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['a message above the limit, before it is read', 'Content-Length: 1001\r\n\r\n', /1001 bytes; the limit is 1000/],
    ['a header without a length', 'Content-Type: x\r\n\r\n', /without Content-Length/],
    ['other output', 'Server started on port 7\n', /not a message: "Server started/],
    ['a header without an end', `X: ${'x'.repeat(5000)}`, /not a message/],
    ['what is not JSON', 'Content-Length: 3\r\n\r\nabc', /JSON/],
    ['what is not an object', 'Content-Length: 1\r\n\r\n7', /not an object/],
  ])('ends at %s', async (_, text, problem) => {
    const { messages, errors } = await read([text, framed(ping)], 1);
    expect(messages).toEqual([]);
    expect(errors).toEqual([expect.stringMatching(problem)]);
  });

  it('ends a flood, and lets other work run meanwhile', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      turning = setImmediate(count);
    };
    let turning = setImmediate(count);
    const { messages, errors } = await read([framed(ping).repeat(1000)], 1001);
    clearImmediate(turning);
    expect(messages).toHaveLength(50);
    expect(errors).toEqual(['It sent more than 50 messages within 10 seconds']);
    expect(turns).toBeGreaterThanOrEqual(50);
  });

  it('reads no more than it needs while messages wait', async () => {
    const { stream } = await read([framed(ping).repeat(30)], 1);
    expect(stream.isPaused()).toBe(true);
  });
});
