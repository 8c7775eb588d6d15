import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

export type Body = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: BodyFlaw };
export type BodyFlaw = 'too large' | 'truncated' | 'not UTF-8';

/** Reads a body up to a limit. What is beyond it is not kept. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  if (Number(request.headers['content-length']) > maxBytes) return Promise.resolve({ ok: false, why: 'too large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.off('data', take);
      chunks.length = 0;
      resolve({ ok: false, why: 'too large' });
    };
    request.on('data', take);
    request.on('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const text = body.toString();
      if (text.includes('\ufffd') && !isUtf8(body)) resolve({ ok: false, why: 'not UTF-8' });
      else resolve({ ok: true, text });
    });
    request.on('error', () => resolve({ ok: false, why: 'truncated' }));
    request.on('close', () => resolve({ ok: false, why: 'truncated' }));
  });
}
