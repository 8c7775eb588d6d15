import { once } from 'node:events';
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Json } from './json.ts';

type Headers = Record<string, string | undefined>;

export interface RawOptions {
  readonly headers?: Headers;
  /** A text or bytes are sent as they are, other values as JSON. */
  readonly body?: unknown;
}

export const POST_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

/** Plain HTTP requests to one endpoint, each on a connection of its own. A header of undefined is not sent. */
export class RawHttp {
  readonly #target: { readonly port: number } | { readonly socketPath: string };
  readonly path: string;

  constructor(target: { readonly port: number } | { readonly socketPath: string }, path = '/mcp') {
    this.#target = target;
    this.path = path;
  }

  /** Begins a request; the body is the caller's to write. */
  begin(method: string, headers: Headers = {}): ClientRequest {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const options = {
      host: '127.0.0.1',
      path: this.path,
      agent: false,
      method,
      headers: sent as Record<string, string>,
    };
    return request({ ...options, ...this.#target }).on('error', () => {}); // `responseTo` rejects with it
  }

  async send(method: string, { headers = {}, body }: RawOptions = {}): Promise<RawResponse> {
    const sending = this.begin(method, headers);
    const response = responseTo(sending);
    sending.end(body === undefined ? undefined : bytesOf(body));
    return response;
  }

  post(body: unknown, headers: Headers = {}): Promise<RawResponse> {
    return this.send('POST', { body, headers: { ...POST_HEADERS, ...headers } });
  }
}

/** The head of the response; rejects when the connection breaks before. */
export async function responseTo(sending: ClientRequest): Promise<RawResponse> {
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  return new RawResponse(response);
}

/** One block of an event stream. */
export interface Block {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
  readonly comment?: string;
}

/** A response as it comes in, whole or event by event. */
export class RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #response: IncomingMessage;
  readonly #blocks: Block[] = [];
  /** Of an event stream, what belongs to no whole block yet. */
  #text = '';
  #end: 'ended' | 'broken' | undefined;
  #wakers: (() => void)[] = [];

  constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      this.#text += part;
      if (this.isEvents) this.#readBlocks();
      this.#wake();
    });
    response.on('end', () => this.#finish('ended'));
    response.on('error', () => this.#finish('broken'));
    response.on('close', () => this.#finish('broken'));
  }

  get isEvents(): boolean {
    return this.headers['content-type'] === 'text/event-stream';
  }

  get sessionId(): string | undefined {
    return this.headers['mcp-session-id'] as string | undefined;
  }

  /** The whole body. Rejects when it broke off. */
  async text(): Promise<string> {
    if ((await this.over()) === 'broken') throw new Error(`The response broke off after ${this.#text}`);
    return this.#text;
  }

  async json(): Promise<Json> {
    const text = await this.text();
    return text === '' ? undefined : JSON.parse(text);
  }

  /** How it ended, once it has. */
  async over(): Promise<'ended' | 'broken'> {
    while (this.#end === undefined) await this.#more();
    return this.#end;
  }

  /** The next block not yet taken; undefined when there will be none. */
  async block(): Promise<Block | undefined> {
    while (this.#blocks.length === 0 && this.#end === undefined) await this.#more();
    return this.#blocks.shift();
  }

  /** The next block that carries a message. */
  async event(): Promise<Block | undefined> {
    let block = await this.block();
    while (block !== undefined && !block.data) block = await this.block();
    return block;
  }

  /** The next message. Rejects when there will be none. */
  async message(): Promise<Json> {
    const event = await this.event();
    if (event?.data === undefined) throw new Error(`The stream has ${this.#end} without a further message`);
    return JSON.parse(event.data);
  }

  /** All messages up to the end. */
  async messages(): Promise<Json[]> {
    const messages: Json[] = [];
    for (let event = await this.event(); event !== undefined; event = await this.event()) {
      messages.push(JSON.parse(event.data ?? ''));
    }
    return messages;
  }

  /** The response to a request: the body, or the last event. */
  async outcome(): Promise<Json> {
    return this.isEvents ? (await this.messages()).at(-1) : this.json();
  }

  /** Breaks the connection. */
  async break(): Promise<void> {
    this.#response.destroy();
    await this.over();
  }

  /** Stops reading, so that the server cannot send on. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  #readBlocks(): void {
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.#blocks.push(readBlock(block));
  }

  #more(): Promise<void> {
    return new Promise((resolve) => this.#wakers.push(resolve));
  }

  #finish(how: 'ended' | 'broken'): void {
    this.#end ??= how;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}

function readBlock(text: string): Block {
  const fields = text.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon) || 'comment', line.slice(colon + 1).replace(/^ /, '')];
  });
  return Object.fromEntries(fields);
}

function bytesOf(body: unknown): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}
