import type { RequestHeaders } from '../../../../protocol/origin.ts';
import { BodyBuffer } from '../bodies/body-buffer.ts';
import type { Body, BodyLimits, HttpCall, ResponseHeaders } from '../http-call.ts';

const encoder = new TextEncoder();
/** Statuses that may not have a body. */
const BODILESS: readonly number[] = [204, 205, 304];
/** For frameworks whose middleware reads the body. */
const ADVICE = 'Read a copy of the request instead: request.clone()';
/** Bytes that wait for the client before `drained()` waits. */
const HIGH_WATER_MARK = 16 * 1024;

/** A Request of the Fetch standard and the Response to it. */
export class FetchCall implements HttpCall {
  readonly #request: Request;
  readonly headers: RequestHeaders;
  /** Settles when the head of the response is known; never rejects. */
  readonly response: Promise<Response>;
  #respond: (response: Response) => void = () => {};
  readonly #added: Record<string, string> = {};
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isOpened = false;
  #isEnded = false;
  #isGone = false;
  /** A runtime makes the URL of the Host header, or of the target in its place. */
  readonly targetHost = undefined;
  readonly address = undefined;
  client: string | undefined = undefined;
  readonly #closeListeners: (() => void)[] = [];
  readonly #drainListeners: (() => void)[] = [];

  constructor(request: Request) {
    this.#request = request;
    this.headers = headersOf(request);
    this.response = new Promise((resolve) => {
      this.#respond = resolve;
    });
    if (request.signal.aborted) this.#close();
    else request.signal.addEventListener('abort', () => this.#aborted(), { once: true });
  }

  get method(): string {
    return this.#request.method;
  }

  parameter(name: string): string | undefined {
    return new URL(this.#request.url).searchParams.get(name) ?? undefined;
  }

  get path(): string {
    return new URL(this.#request.url).pathname;
  }

  readBody(limits: BodyLimits, done: (body: Body) => void): void {
    const unusable: Body = { kind: 'unusable', why: 'truncated' };
    if (this.#request.bodyUsed) done({ kind: 'consumed', advice: ADVICE });
    else if (Number(this.headers['content-length']) > limits.maxBytes) done({ kind: 'unusable', why: 'too large' });
    else readStream(this.#request.body, limits, this.client).then(done, () => done(unusable));
  }

  setHeader(name: string, value: string): void {
    this.#added[name] = value;
  }

  send(status: number, headers: ResponseHeaders, body: string): void {
    if (this.isGone || this.#isOpened) return;
    this.#isOpened = true;
    this.#isEnded = true;
    this.#respond(
      new Response(BODILESS.includes(status) ? null : body, { status, headers: { ...headers, ...this.#added } }),
    );
    queueMicrotask(() => this.#close());
  }

  sendJson(status: number, body: string): void {
    this.send(status, { 'Content-Type': 'application/json' }, body);
  }

  sendUnread(status: number, headers: ResponseHeaders, body: string): void {
    this.send(status, headers, body);
    // What the client still sends is of no use; cancelling fails if the stream has failed, which is as good.
    if (!this.#request.bodyUsed) this.#request.body?.cancel().catch(() => {});
  }

  open(status: number, headers: ResponseHeaders): void {
    if (this.isGone || this.#isOpened) return;
    this.#isOpened = true;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#drained(),
        cancel: () => this.#close(),
      },
      { highWaterMark: HIGH_WATER_MARK, size: (chunk) => chunk.byteLength },
    );
    this.#respond(new Response(body, { status, headers: { ...headers, ...this.#added } }));
  }

  write(text: string): void {
    if (!this.isGone) this.#controller?.enqueue(encoder.encode(text));
  }

  end(): void {
    if (this.isGone) return;
    this.#isEnded = true;
    this.#controller?.close();
    queueMicrotask(() => this.#close());
  }

  destroy(): void {
    if (this.#isGone) return;
    if (!this.#isEnded) this.#controller?.error(new Error('The response was broken off'));
    // The client has gone, or the server closes; nothing else can be said in a Response.
    if (!this.#isOpened) this.#respond(new Response(null, { status: 503 }));
    this.#close();
  }

  get isOpened(): boolean {
    return this.#isOpened;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isGone(): boolean {
    return this.#isGone || this.#isEnded;
  }

  get queuedBytes(): number {
    const desired = this.#controller?.desiredSize;
    return desired === undefined || desired === null ? 0 : HIGH_WATER_MARK - desired;
  }

  drained(): Promise<void> {
    if (this.isGone || this.queuedBytes < HIGH_WATER_MARK) return Promise.resolve();
    return new Promise((resolve) => this.#drainListeners.push(resolve));
  }

  onClose(listener: () => void): void {
    if (this.#isGone) queueMicrotask(listener);
    else this.#closeListeners.push(listener);
  }

  /** The client has gone, so the end of the stream reaches no reader. */
  #aborted(): void {
    if (this.#isGone) return;
    if (!this.#isEnded) this.#controller?.close();
    if (!this.#isOpened) this.#respond(new Response(null, { status: 503 }));
    this.#close();
  }

  #drained(): void {
    for (const listener of this.#drainListeners.splice(0)) listener();
  }

  #close(): void {
    this.#isGone = true;
    this.#drained();
    for (const listener of this.#closeListeners.splice(0)) listener();
  }
}

/** Runtimes that do not send the Host header on have it in the URL. */
function headersOf({ headers, url }: Request): RequestHeaders {
  const record: Record<string, string> = Object.fromEntries(headers as unknown as Iterable<[string, string]>);
  if (record.host === undefined && URL.canParse(url)) record.host = new URL(url).host;
  return record;
}

async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  { maxBytes, timeoutMs, budget }: BodyLimits,
  client: string | undefined,
): Promise<Body> {
  const body = new BodyBuffer(maxBytes, budget, client);
  const reader = stream?.getReader();
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    reader?.cancel().catch(() => {}); // ends the read under way
  }, timeoutMs);
  try {
    for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
      const why = body.add(part.value);
      if (why === undefined) continue;
      reader?.cancel().catch(() => {}); // fails only if the stream has failed
      return { kind: 'unusable', why };
    }
    return isLate ? { kind: 'unusable', why: 'late' } : decoded(body.bytes);
  } finally {
    clearTimeout(late);
    body.release();
  }
}

function decoded(bytes: Uint8Array): Body {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: 'text', text, bytes: bytes.length };
  } catch {
    return { kind: 'unusable', why: 'not UTF-8' };
  }
}
