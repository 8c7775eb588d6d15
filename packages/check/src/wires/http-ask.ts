import type { HttpTarget } from '@hawser/client/target';
import { readBody, sendHttp } from './http-request.ts';
import { type EventStream, openEventStream } from './server-sent-events.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty for an event stream, which is not read. */
  readonly body: string;
}

export interface HttpAsk {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
}

/** One HTTP request. An event stream is not read. Rejects if the response does not end within the time. */
export async function askHttp(target: HttpTarget, ask: HttpAsk, milliseconds: number): Promise<HttpAnswer> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    const response = await sendHttp(target, { ...ask, signal });
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
    const body = isStream ? '' : await readBody(response);
    response.destroy();
    return { status: response.statusCode ?? 0, headers: response.headers, body };
  } catch (error) {
    if (signal.aborted) throw new Error(`no HTTP response within ${milliseconds} ms`);
    throw error;
  }
}

/** One HTTP request whose response can be an event stream. Rejects if the response does not begin within the time. */
export async function streamHttp(target: HttpTarget, ask: HttpAsk, milliseconds: number): Promise<EventStream> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  try {
    return openEventStream(await sendHttp(target, { ...ask, signal: controller.signal }));
  } catch (error) {
    if (controller.signal.aborted) throw new Error(`no HTTP response within ${milliseconds} ms`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
