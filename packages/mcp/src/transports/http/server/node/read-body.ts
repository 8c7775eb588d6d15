import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BodyBuffer } from '../bodies/body-buffer.ts';
import type { Body, BodyLimits } from '../http-call.ts';

/** Reads a body up to a limit and calls `done` once. A callback, because promises slow down small requests. */
export function readBody(request: IncomingMessage, limits: BodyLimits, done: (body: Body) => void): void {
  if (Number(request.headers['content-length']) > limits.maxBytes) done({ kind: 'unusable', why: 'too large' });
  else process.nextTick(readWhole, request, limits, done);
}

/** Most bodies arrive in one piece with their headers and are there on the next tick, so no listener is needed. */
function readWhole(request: IncomingMessage, limits: BodyLimits, done: (body: Body) => void): void {
  const { readableLength } = request;
  if (readableLength === 0 || readableLength !== Number(request.headers['content-length'])) {
    readStream(request, limits, done);
    return;
  }
  const body: Buffer = request.read();
  // A stream without a reader does not emit `end`; others may wait for it.
  if (request.listenerCount('end') > 0 || request.listenerCount('close') > 0) request.resume();
  done(decoded(body));
}

function readStream(
  request: IncomingMessage,
  { maxBytes, timeoutMs, budget }: BodyLimits,
  done: (body: Body) => void,
): void {
  const buffer = new BodyBuffer(maxBytes, budget);
  let isDone = false;
  const finish = (body: Body) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(late);
    buffer.release();
    request.off('data', take);
    done(body);
  };
  const take = (chunk: Buffer) => {
    const why = buffer.add(chunk);
    if (why !== undefined) finish({ kind: 'unusable', why });
  };
  const late = setTimeout(() => finish({ kind: 'unusable', why: 'late' }), timeoutMs).unref();
  request.on('data', take);
  request.on('end', () => finish(decoded(asBuffer(buffer.bytes))));
  const broken = () => finish({ kind: 'unusable', why: 'truncated' });
  request.on('error', broken);
  request.on('close', broken);
  // The client may have gone while the request was being authorized.
  if (request.destroyed) broken();
}

export function decoded(body: Buffer): Body {
  const text = body.toString();
  return text.includes('\ufffd') && !isUtf8(body)
    ? { kind: 'unusable', why: 'not UTF-8' }
    : { kind: 'text', text, bytes: body.length };
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
