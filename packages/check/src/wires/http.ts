import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { HttpTarget } from '@hawser/client/target';
import { type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { readBody, sendHttp } from './http-request.ts';
import { Inbox } from './inbox.ts';
import { readEvents } from './server-sent-events.ts';
import { received, textOf, type Wire } from './wire.ts';

export interface HttpWire extends Wire {
  /** From the answer to `initialize`. */
  readonly sessionId: string | undefined;
  /** The type of the last response with a message. */
  readonly contentType: string | undefined;
  /** Receives on a GET stream, too. Does nothing if the server has none. */
  listen(): Promise<void>;
}

export const POST_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** Each message is a POST; whatever the responses carry is received. */
export function openHttp(target: HttpTarget): HttpWire {
  const inbox = new Inbox();
  const sent: Uint8Array[] = [];
  const controller = new AbortController();
  // One for each request at a time.
  setMaxListeners(0, controller.signal);
  const posts = new Set<Promise<void>>();
  let sessionId: string | undefined;
  let revision: string | undefined;
  let contentType: string | undefined;

  async function post(body: string): Promise<void> {
    try {
      const response = await sendHttp(target, {
        method: 'POST',
        headers: {
          ...POST_HEADERS,
          'Mcp-Session-Id': sessionId,
          'MCP-Protocol-Version': revision,
          ...statelessHeaders(body),
        },
        body,
        signal: controller.signal,
      });
      const id = response.headers['mcp-session-id'];
      if (typeof id === 'string') sessionId ??= id;
      await read(response);
    } catch (error) {
      if (!controller.signal.aborted)
        inbox.put({ kind: 'end', how: `the request failed: ${(error as Error).message}` });
    }
  }

  async function read(response: IncomingMessage): Promise<void> {
    const type = response.headers['content-type'] ?? '';
    const status = response.statusCode ?? 0;
    if (type.startsWith('text/event-stream')) {
      contentType = type;
      await readStream(response);
      return;
    }
    const body = await readBody(response);
    if (status === 202 && body === '') return;
    const item = received(body);
    if (item.kind === 'message' && !(status >= 400 && item.message.jsonrpc === undefined)) {
      contentType = type;
      put(body);
      // An error without an id is the answer all the same: the status says so.
      if (status >= 400 && (item.message.id ?? undefined) === undefined) inbox.put({ kind: 'status', status });
    } else inbox.put(status >= 400 ? { kind: 'status', status } : { kind: 'garbage', text: `HTTP ${status} ${body}` });
  }

  async function readStream(response: IncomingMessage): Promise<void> {
    for await (const { data } of readEvents(response)) if (data !== '') put(data);
  }

  function put(text: string): void {
    const item = received(text);
    // Requests after initialize name the revision that it negotiated.
    if (item.kind === 'message') revision ??= negotiated(item.message);
    inbox.put(item);
  }

  return {
    send: (message) => {
      sent.push(Buffer.from(textOf(message)));
      const done = post(textOf(message)).finally(() => posts.delete(done));
      posts.add(done);
    },
    next: (milliseconds) => inbox.take(milliseconds),
    flushed: (milliseconds) => within(Promise.all(posts), milliseconds),
    sent,
    get sessionId() {
      return sessionId;
    },
    get contentType() {
      return contentType;
    },
    listen: async () => {
      const headers = {
        Accept: 'text/event-stream',
        'Mcp-Session-Id': sessionId,
        'MCP-Protocol-Version': revision,
      };
      const response = await sendHttp(target, { method: 'GET', headers, signal: controller.signal });
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        // Its end is not the end of the session.
        void readStream(response).catch(() => {});
      } else response.destroy();
    },
    close: async () => {
      if (sessionId !== undefined && !controller.signal.aborted) await endSession(target, sessionId, revision);
      controller.abort();
    },
  };
}

/** Resolves when it happened or the time is over. */
async function within(event: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([event, late]);
  clearTimeout(timer);
}

function negotiated(message: Members): string | undefined {
  const version = memberAt(message, 'result', 'protocolVersion');
  return typeof version === 'string' ? version : undefined;
}

const META = 'io.modelcontextprotocol/protocolVersion';

/** Revision 2026-07-28 repeats these members of the body in headers. */
function statelessHeaders(body: string): Record<string, string> {
  const item = received(body);
  const { method, params } = item.kind === 'message' ? item.message : {};
  const version = memberAt(params, '_meta', META);
  if (typeof method !== 'string' || typeof version !== 'string') return {};
  const { name: given, uri, taskId } = objectOrEmpty(params);
  const name = given ?? uri ?? taskId;
  return {
    'MCP-Protocol-Version': version,
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': name }),
  };
}

/** A server may have few sessions; those of a check are ended. */
async function endSession(target: HttpTarget, sessionId: string, revision: string | undefined): Promise<void> {
  const headers = { 'Mcp-Session-Id': sessionId, 'MCP-Protocol-Version': revision };
  try {
    const response = await sendHttp(target, { method: 'DELETE', headers, signal: AbortSignal.timeout(1000) });
    response.destroy();
  } catch {
    // A server need not allow it.
  }
}
