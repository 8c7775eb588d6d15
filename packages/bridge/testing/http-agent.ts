import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Json } from '../../mcp/testing/json.ts';
import { type Agent, type AgentWire, agentOn, type Dialect } from './agent.ts';

/** Where an agent sends its requests, and what it says about itself there. */
export interface HttpTarget {
  readonly port?: number | undefined;
  readonly socketPath?: string | undefined;
  readonly authorization: string;
}

export interface HttpWire extends AgentWire {
  /** Sends a text as it is. Resolves when a request is on its way, or when any other text has been answered. */
  post(text: string): Promise<void>;
  /** Closes the stream for what the bridge sends, and waits until the bridge has noticed. */
  dropStream(): Promise<void>;
  /** Opens it again. */
  listen(): Promise<void>;
  /** Ends the session; the status of the answer. */
  deleteSession(): Promise<number | undefined>;
}

/** Over Streamable HTTP, as Copilot CLI, Gemini CLI and Qwen Code do it. */
export function connectHttpAgent(target: HttpTarget, dialect: Dialect): Agent {
  return agentOn(httpWire(target), dialect);
}

/** The wire alone. Agents open a stream for what the bridge sends once they are initialized; some open none. */
export function httpWire(
  target: HttpTarget,
  { stream: streams = 'opened' }: { stream?: 'opened' | 'none' } = {},
): HttpWire {
  const open = new Set<ClientRequest>();
  let sessionId: string | undefined;
  let version: string | undefined;
  let stream: IncomingMessage | undefined;
  let ready: Promise<void> = Promise.resolve();
  let ended = (_ending: { code: number; reason: string }) => {};
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ended = resolve;
  });

  const send = (method: string, body?: string) => {
    const sent = startRequest(target, {
      method,
      headers: {
        ...(sessionId !== undefined && { 'Mcp-Session-Id': sessionId }),
        ...(version !== undefined && { 'Mcp-Protocol-Version': version }),
      },
      ...(body !== undefined && { body }),
    });
    open.add(sent.request);
    sent.request.once('close', () => open.delete(sent.request));
    return sent;
  };
  const listen = async () => {
    const response = await send('GET').response;
    if (response.statusCode !== 200) throw new Error(`the stream was refused with ${response.statusCode}`);
    stream = response;
    response.once('close', () => {
      if (stream === response) ended({ code: 0, reason: 'the stream has ended' });
    });
    void readEvents(response, (message) => wire.onMessage(message));
  };
  const readAnswer = async (response: IncomingMessage, { id, method }: Json) => {
    if (method === 'initialize') sessionId = response.headers['mcp-session-id'] as string | undefined;
    const receive = (answer: Json) => {
      if (method === 'initialize') version = answer.result?.protocolVersion;
      // A refusal may name no id.
      wire.onMessage(answer.id === null && id !== undefined ? { ...answer, id } : answer);
    };
    if (response.headers['content-type']?.startsWith('text/event-stream')) await readEvents(response, receive);
    else {
      const text = await textOf(response);
      if (text !== '') receive(JSON.parse(text));
    }
    if (method === 'notifications/initialized' && streams === 'opened') await listen();
  };
  const post = async (text: string) => {
    const message = parsed(text);
    const { request, response } = send('POST', text);
    const answered = response.then((found) => readAnswer(found, message));
    answered.catch((error: Error) => {
      if (message.id === undefined) return;
      wire.onMessage({ id: message.id, error: { code: 0, message: `no answer: ${error.message}` } });
    });
    await (message.id === undefined ? answered : once(request, 'finish'));
  };
  const wire: HttpWire = {
    protocol: '',
    onMessage: () => {},
    send: (message) => {
      ready = post(JSON.stringify(message));
      ready.catch(() => {});
    },
    ready: () => ready,
    post,
    listen,
    dropStream: async () => {
      const dropped = stream;
      stream = undefined;
      dropped?.destroy();
      // The answer of a later request shows that the bridge has read that the connection closed.
      await post('{"jsonrpc":"2.0","method":"notifications/nothing"}');
    },
    deleteSession: async () => {
      const response = await send('DELETE').response;
      response.resume();
      return response.statusCode;
    },
    drop: () => {
      for (const request of open) request.destroy();
      ended({ code: 0, reason: 'dropped' });
    },
    closed,
  };
  return wire;
}

/** No message is an empty one. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export interface RawRequest {
  readonly method: string;
  readonly path?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** Sends one request as agents do, with other headers if given, and reads all of its response. */
export async function rawRequest(target: HttpTarget, raw: RawRequest) {
  const response = await startRequest(target, raw).response;
  return { status: response.statusCode, headers: response.headers, text: await textOf(response) };
}

/** Each request has a connection of its own, so that they arrive in the order in which they were sent. */
function startRequest(target: HttpTarget, { method, path = '/mcp', headers, body }: RawRequest) {
  const request = httpRequest({
    ...placeOf(target),
    path,
    method,
    agent: false,
    headers: {
      Authorization: target.authorization,
      Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
  });
  const response = once(request, 'response').then(([found]) => found as IncomingMessage);
  response.catch(() => {});
  // After the response has ended.
  request.on('error', () => {});
  // In chunks, as Copilot CLI sends it.
  if (body !== undefined) request.write(body);
  request.end();
  return { request, response };
}

export function placeOf({ port, socketPath }: Pick<HttpTarget, 'port' | 'socketPath'>) {
  return socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) text += chunk;
  return text;
}

/** Calls the listener with each message of an event stream until it ends. */
async function readEvents(response: IncomingMessage, receive: (message: Json) => void): Promise<void> {
  let chunks: string[] = [];
  response.setEncoding('utf8');
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      if (!chunk.endsWith('\n')) continue;
      const text = chunks.join('');
      if (!text.endsWith('\n\n')) continue;
      chunks = [];
      for (const event of text.split('\n\n')) {
        const data = event.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
        if (data.join('').trim() !== '') receive(JSON.parse(data.join('\n')));
      }
    }
  } catch {
    // The connection was dropped.
  }
}
