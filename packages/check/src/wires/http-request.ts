import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { HttpTarget } from '@hawser/client/target';

export interface HttpRequest {
  readonly method: string;
  /** Besides those of the target. An undefined one is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * Resolves with the head of the response. Rejects if there is none, the server wants a login that the user does not have,
 * or the signal aborts.
 */
export async function sendHttp(target: HttpTarget, request: HttpRequest): Promise<IncomingMessage> {
  const { authorization } = target;
  if (authorization === undefined) return await sendOnce(target, request, {});
  const { method, signal } = request;
  const url = new URL(target.url);
  for (let retries = 0; ; retries += 1) {
    const sent = await authorization.headers({ method, url, signal });
    const response = await sendOnce(target, request, sent);
    const { statusCode: status } = response;
    if (status !== 401 && status !== 403) return response;
    const header = (name: string) => {
      const value = response.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    if (!(await authorization.challenged({ method, url, signal, status, header, sent, retries }))) return response;
    response.resume();
  }
}

function sendOnce(
  target: HttpTarget,
  { method, headers = {}, body, signal }: HttpRequest,
  credentials: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const url = new URL(target.url);
  const all = { ...target.headers, ...credentials, ...headers };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const call = send(url, {
      method,
      headers: Object.fromEntries(given) as Record<string, string>,
      agent: false,
      signal,
      ...(target.socketPath !== undefined && { socketPath: target.socketPath }),
    });
    call.once('response', resolve);
    call.once('error', reject);
    call.end(body);
  });
}

const MAX_BODY_CHARS = 16 * 1024 * 1024;

/** The whole body. Rejects if it is too large or breaks off. */
export async function readBody(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_BODY_CHARS) throw new Error('The body is larger than 16 MiB');
  }
  return text;
}
