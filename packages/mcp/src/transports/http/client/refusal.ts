import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { HttpError } from '../../../protocol/http-error.ts';
import { contentType } from './response-body.ts';

const MAX_REASON_CHARS = 500;

/** The error for a response that holds no message. */
export function refusalOf(response: IncomingMessage, body: string): HttpError {
  const { statusCode: status = 0, statusMessage } = response;
  const said = contentType(response) === 'text/html' ? '' : (errorIn(body) ?? body).trim().slice(0, MAX_REASON_CHARS);
  const reason = said || statusMessage || STATUS_CODES[status] || 'no reason given';
  if (!isOk(response)) return new HttpError(status, `HTTP ${status}: ${reason}`);
  const type = contentType(response) || 'none';
  return new HttpError(status, `HTTP ${status}: the server gave no answer (content type: ${type})`);
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
