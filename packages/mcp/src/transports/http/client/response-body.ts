import type { IncomingMessage } from 'node:http';
import { messageOf, NetworkError } from '../../../jsonrpc/errors.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { SseReader } from './sse-reader.ts';

/** How much of a response is read only to report it, or to keep its connection. */
export const REFUSAL_LIMITS = { maxBytes: 64 * 1024, timeoutMs: 1000 } as const;

/** The whole body; undefined when it is larger than the limit. Rejects when the connection breaks first. */
export function readBody(response: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const body = new ByteBuffer();
    response.on('data', (chunk: Buffer) => {
      body.append(chunk);
      if (body.length <= maxBytes) return;
      response.destroy();
      resolve(undefined);
    });
    response.once('end', () => resolve(body.text()));
    response.once('error', (error) => reject(brokenOff(error)));
    response.once('close', () => reject(brokenOff(undefined)));
  });
}

/** The beginning of a body, as far as it arrives soon. Never rejects. */
export function readStart(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const body = new ByteBuffer();
    const done = () => {
      clearTimeout(late);
      response.destroy();
      resolve(body.text().slice(0, REFUSAL_LIMITS.maxBytes));
    };
    const late = setTimeout(done, REFUSAL_LIMITS.timeoutMs);
    response.on('data', (chunk: Buffer) => {
      body.append(chunk);
      if (body.length > REFUSAL_LIMITS.maxBytes) done();
    });
    response.once('end', () => {
      clearTimeout(late);
      resolve(body.text());
    });
    response.once('error', done).once('close', done);
  });
}

/** Ignores a body. A short one is read to its end, so that the connection can be used again. */
export function discardBody(response: IncomingMessage): void {
  const stop = () => response.destroy();
  const late = setTimeout(stop, REFUSAL_LIMITS.timeoutMs).unref();
  let read = 0;
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > REFUSAL_LIMITS.maxBytes) stop();
  });
  response.once('error', () => {}).once('close', () => clearTimeout(late));
}

/** Settles when the stream has ended or broken. */
export function readEvents(response: IncomingMessage, reader: SseReader): Promise<void> {
  return new Promise((resolve) => {
    response.on('data', (chunk: Buffer) => reader.push(chunk));
    response.once('error', () => resolve());
    response.once('close', resolve);
  });
}

export function contentType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function brokenOff(cause: NodeJS.ErrnoException | undefined): NetworkError {
  const why = cause === undefined ? '' : `: ${messageOf(cause)}`;
  return new NetworkError(`The connection broke before the whole answer arrived${why}`, { code: cause?.code, cause });
}
