import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { HttpTarget } from '../../client/target.ts';

export interface HttpRequest {
  readonly method: string;
  /** Besides those of the target. An undefined one is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Resolves with the head of the response. Rejects if there is none, or the signal aborts. */
export function sendHttp(
  target: HttpTarget,
  { method, headers = {}, body, signal }: HttpRequest,
): Promise<IncomingMessage> {
  const url = new URL(target.url);
  const given = Object.entries({ ...target.headers, ...headers }).filter(([, value]) => value !== undefined);
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
