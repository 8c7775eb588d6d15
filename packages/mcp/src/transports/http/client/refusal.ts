import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { HttpFailure } from './http-caller.ts';
import { contentType } from './response-reader.ts';

const MAX_REASON_CHARS = 500;

/** What to tell whoever asked when the server answered with something that is no message. */
export function refusalOf(response: IncomingMessage, body: string): HttpFailure {
  const { statusCode: status = 0, statusMessage } = response;
  const said = contentType(response) === 'text/html' ? '' : (errorIn(body) ?? body).trim().slice(0, MAX_REASON_CHARS);
  const reason = said || statusMessage || STATUS_CODES[status] || 'no reason given';
  if (!isOk(response)) return new HttpFailure(`HTTP ${status}: ${reason}`, { status });
  const type = contentType(response) || 'none';
  return new HttpFailure(`HTTP ${status}: the server gave no answer (content type: ${type})`, { status });
}

export function isOk({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** The message of a JSON-RPC error. */
function errorIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : undefined;
  } catch {
    return undefined;
  }
}
