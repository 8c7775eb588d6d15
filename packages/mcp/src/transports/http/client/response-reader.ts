import type { IncomingMessage } from 'node:http';
import type { SseReader } from './sse-reader.ts';

/** The whole body, or undefined when it is larger than the limit. Rejects when it breaks off. */
export function readBody(response: IncomingMessage, maxChars: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      text += part;
      if (text.length <= maxChars) return;
      response.destroy();
      resolve(undefined);
    });
    response.once('end', () => resolve(text));
    response.once('error', reject);
  });
}

/** Settles when the stream is over, however it ended. */
export function readEvents(response: IncomingMessage, reader: SseReader): Promise<void> {
  return new Promise((resolve) => {
    response.setEncoding('utf8');
    response.on('data', (part: string) => reader.push(part));
    response.once('error', () => resolve());
    response.once('close', resolve);
  });
}

export function contentType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
