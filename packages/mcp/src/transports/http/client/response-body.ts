import { unref } from '../../../jsonrpc/deadlines.ts';
import { messageOf, NetworkError } from '../../../jsonrpc/errors.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { HttpResponse } from './http-sender.ts';

/** How much of a response is read only to report it, or to keep its connection. */
export const REFUSAL_LIMITS = { maxBytes: 64 * 1024, timeoutMs: 1000 } as const;

/** The whole body; undefined when it is larger than the limit. Rejects when the connection breaks first. */
export async function readBody(response: HttpResponse, maxBytes: number): Promise<string | undefined> {
  const body = new ByteBuffer();
  let isTooLarge = false;
  const read = response.read((chunk) => {
    if (isTooLarge) return;
    body.append(chunk);
    isTooLarge = body.length > maxBytes;
    if (isTooLarge) response.destroy();
  });
  try {
    await read;
  } catch (error) {
    if (!isTooLarge) throw error;
  }
  return isTooLarge ? undefined : body.text();
}

/** The beginning of a body, as far as it arrives soon. Never rejects. */
export async function readStart(response: HttpResponse): Promise<string> {
  const body = new ByteBuffer();
  const late = setTimeout(() => response.destroy(), REFUSAL_LIMITS.timeoutMs);
  const read = response.read((chunk) => {
    if (body.length > REFUSAL_LIMITS.maxBytes) return;
    body.append(chunk);
    if (body.length > REFUSAL_LIMITS.maxBytes) response.destroy();
  });
  await read.catch(() => {}); // what has arrived is enough
  clearTimeout(late);
  return body.text().slice(0, REFUSAL_LIMITS.maxBytes);
}

/** Ignores a body. A short one is read to its end, so that the connection can be used again. */
export function discardBody(response: HttpResponse): void {
  const late = unref(setTimeout(() => response.destroy(), REFUSAL_LIMITS.timeoutMs));
  let length = 0;
  const read = response.read((chunk) => {
    length += chunk.length;
    if (length > REFUSAL_LIMITS.maxBytes) response.destroy();
  });
  read.catch(() => {}).finally(() => clearTimeout(late));
}

export function contentType(response: HttpResponse): string {
  return (response.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function brokenOff(cause: Error | undefined): NetworkError {
  const why = cause === undefined ? '' : `: ${messageOf(cause)}`;
  return new NetworkError(`The connection broke before the whole response arrived${why}`, {
    code: codeOf(cause),
    cause,
  });
}

/** The system's code of an error, a string; some errors of browsers have a number instead, which is ignored. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
