import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Body, readBody } from './read-body.ts';

/** A request of which only the body matters. */
function incoming(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Body> {
  return new Promise((resolve) => readBody(request, maxBytes, resolve));
}

describe('readBody', () => {
  it('puts together what comes in parts, also within a character', async () => {
    const request = incoming();
    const body = bodyOf(request, 100);
    for (const byte of Buffer.from('{"é":"😀"}')) request.write(Buffer.from([byte]));
    request.end();
    expect(await body).toEqual({ ok: true, text: '{"é":"😀"}' });
  });

  it('settles when the body breaks off, with an error or without', async () => {
    for (const reason of [undefined, new Error('reset')]) {
      const request = incoming();
      const body = bodyOf(request, 100);
      request.write('{"half');
      request.destroy(reason);
      expect(await body).toEqual({ ok: false, why: 'truncated' });
    }
  });

  it('does not wait for the end of what is too large, announced or not', async () => {
    expect(await bodyOf(incoming({ 'content-length': '101' }), 100)).toEqual({ ok: false, why: 'too large' });
    const request = incoming();
    const body = bodyOf(request, 100);
    request.write('x'.repeat(101));
    expect(await body).toEqual({ ok: false, why: 'too large' });
    expect(request.listenerCount('data')).toBe(0);
  });
});
