import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

export type Body = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: BodyFlaw };
export type BodyFlaw = 'too large' | 'truncated' | 'not UTF-8';

/** Reads a body up to a limit. What is beyond it stays unread. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        request.pause();
        resolve({ ok: false, why: 'too large' });
        return;
      }
      chunks.push(chunk);
    });
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
