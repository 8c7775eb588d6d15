import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { readBody } from './http-request.ts';

export interface ServerSentEvent {
  readonly data: string;
  readonly id: string | undefined;
}

/** The events of a `text/event-stream`, as they arrive. */
export async function* readEvents(stream: NodeJS.ReadableStream): AsyncGenerator<ServerSentEvent> {
  let rest = '';
  let data: string[] = [];
  let id: string | undefined;
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0 || id !== undefined) yield { data: data.join('\n'), id };
        data = [];
        id = undefined;
      } else if (line.startsWith('data:')) data.push(fieldOf(line));
      else if (line.startsWith('id:')) id = fieldOf(line);
    }
  }
}

function fieldOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).replace(/^ /, '');
}

/** A response whose body is read as an event stream. */
export interface EventStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly isStream: boolean;
  /** The next event. Undefined at the end of the stream, or if there is none within the time. */
  next(milliseconds: number): Promise<ServerSentEvent | undefined>;
  /** The whole body, if it is not a stream. */
  text(): Promise<string>;
  /** Whether the server ended the stream. */
  readonly hasEnded: boolean;
  close(): void;
}

export function openEventStream(response: IncomingMessage): EventStream {
  const events = readEvents(response);
  // Reported as the end of the stream.
  response.on('error', () => {});
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
  let hasEnded = false;
  let pending: Promise<ServerSentEvent | undefined> | undefined;

  async function read(): Promise<ServerSentEvent | undefined> {
    try {
      const { value, done } = await events.next();
      if (!done) return value;
    } catch {
      // It broke off, or was closed here.
    }
    hasEnded = true;
    return undefined;
  }

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    isStream,
    next: async (milliseconds) => {
      pending ??= read();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(resolve, milliseconds, 'late');
      });
      const event = await Promise.race([pending, late]);
      clearTimeout(timer);
      if (event === 'late') return undefined;
      pending = undefined;
      return event;
    },
    text: () => readBody(response),
    get hasEnded() {
      return hasEnded;
    },
    close: () => response.destroy(),
  };
}
