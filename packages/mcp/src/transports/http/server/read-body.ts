import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

export type Body = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: BodyFlaw };
export type BodyFlaw = 'too large' | 'truncated' | 'not UTF-8';

/**
 * Reads a body up to a limit and calls `done`, once. What is beyond the limit is not kept. A callback, because promises
 * cost a good part of what a small request does.
 */
export function readBody(request: IncomingMessage, maxBytes: number, done: (body: Body) => void): void {
  if (Number(request.headers['content-length']) > maxBytes) done({ ok: false, why: 'too large' });
  else process.nextTick(readWhole, request, maxBytes, done);
}

/** Most bodies come in one piece with their headers, and are here by the next tick: they need nothing of what streams take. */
function readWhole(request: IncomingMessage, maxBytes: number, done: (body: Body) => void): void {
  const { readableLength } = request;
  if (readableLength === 0 || readableLength !== Number(request.headers['content-length'])) {
    readStream(request, maxBytes, done);
    return;
  }
  const body: Buffer = request.read();
  // The end of a stream that nobody reads from is not told, unless somebody else wants to hear of it.
  if (request.listenerCount('end') > 0 || request.listenerCount('close') > 0) request.resume();
  done(decoded(body));
}

function readStream(request: IncomingMessage, maxBytes: number, done: (body: Body) => void): void {
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
    finish(decoded(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  });
  const broken = () => finish({ ok: false, why: 'truncated' });
  request.on('error', broken);
  request.on('close', broken);
  // It may have broken off while somebody was waited for.
  if (request.destroyed) broken();
}

function decoded(body: Buffer): Body {
  const text = body.toString();
  return text.includes('\ufffd') && !isUtf8(body) ? { ok: false, why: 'not UTF-8' } : { ok: true, text };
}
