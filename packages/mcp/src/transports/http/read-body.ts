import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

export type Body = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: BodyFlaw };
export type BodyFlaw = 'too large' | 'truncated' | 'not UTF-8';

/**
 * Reads a body up to a limit and calls `done`, once. What is beyond the limit is not kept. A callback, because promises
 * cost a good part of what a small request does.
 */
export function readBody(request: IncomingMessage, maxBytes: number, done: (body: Body) => void): void {
  if (Number(request.headers['content-length']) > maxBytes) {
    done({ ok: false, why: 'too large' });
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isDone = false;
  const finish = (body: Body) => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) {
      chunks.push(chunk);
      return;
    }
    request.off('data', take);
    chunks.length = 0;
    finish({ ok: false, why: 'too large' });
  };
  request.on('data', take);
  request.on('end', () => {
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    const text = body.toString();
    if (text.includes('\ufffd') && !isUtf8(body)) finish({ ok: false, why: 'not UTF-8' });
    else finish({ ok: true, text });
  });
  const broken = () => finish({ ok: false, why: 'truncated' });
  request.on('error', broken);
  request.on('close', broken);
  // It may have broken off while somebody was waited for.
  if (request.destroyed) broken();
}
