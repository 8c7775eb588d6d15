import { HttpError } from '../../../protocol/http-error.ts';
import type { HttpResponse } from './http-sender.ts';
import { contentType } from './response-body.ts';

const MAX_REASON_CHARS = 500;

/** The error for a response that holds no message. */
export function refusalOf(response: HttpResponse, body: string): HttpError {
  const { status, statusText } = response;
  const text = contentType(response) === 'text/html' ? '' : (errorIn(body) ?? body).trim().slice(0, MAX_REASON_CHARS);
  const reason = text || statusText || 'no reason given';
  if (!isOk(response)) return new HttpError(status, `HTTP ${status}: ${reason}`);
  const type = contentType(response) || 'none';
  return new HttpError(status, `HTTP ${status}: no JSON-RPC response in the body (content type: ${type})`);
}

export function isOk({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
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
