import type { Duplex } from 'node:stream';
import {
  FrameReader,
  frameOf,
  InvalidValue,
  type MessageSpec,
  messages,
  type NotificationFrom,
  type ParamsOf,
  type RequestFrom,
  type ResultOf,
} from '@hawser/editor-protocol';
import { asError, messageOf } from '@hawser/unknown-values/thrown';

/** What the editor does with what the bridge sends. What has no handler is refused, or ignored if it is a notification. */
export type WireHandlers = {
  readonly [M in RequestFrom<'bridge'>]?: (params: ParamsOf<M>) => Promise<ResultOf<M>> | ResultOf<M>;
} & {
  readonly [M in NotificationFrom<'bridge'>]?: (params: ParamsOf<M>) => void;
};

interface Incoming {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/** An answer of the bridge that is an error. */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';
  readonly code: number;

  constructor({ code, message }: { readonly code: number; readonly message: string }) {
    super(message);
    this.code = code;
  }
}

/** The editor's end of the editor protocol, on a stream. */
export class Wire {
  readonly #stream: Duplex;
  readonly #handlers: WireHandlers;
  readonly #frames = new FrameReader(MAX_MESSAGE_BYTES);
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>();
  #lastId = 0;
  #hasEnded = false;

  /** `ended` is called once, with the reason. */
  constructor(stream: Duplex, handlers: WireHandlers, ended: (reason: Error) => void) {
    this.#stream = stream;
    this.#handlers = handlers;
    const end = (reason: Error) => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      stream.destroy();
      for (const { reject } of this.#waiting.values()) reject(reason);
      this.#waiting.clear();
      ended(reason);
    };
    stream.on('data', (chunk: Buffer) => {
      try {
        this.#frames.push(chunk);
        for (let body = this.#frames.take(); body !== undefined; body = this.#frames.take()) this.#receive(body);
      } catch (error) {
        end(asError(error));
      }
    });
    stream.on('error', end);
    stream.on('close', () => end(new Error('The bridge has ended')));
  }

  /** Rejects with a `BridgeError`, or when the connection ends. */
  async request<M extends RequestFrom<'editor'>>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    if (this.#hasEnded) throw new Error('Not connected to a bridge');
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
    const { result }: MessageSpec = messages[method];
    return result?.read(answer, 'result') as ResultOf<M>;
  }

  notify<M extends NotificationFrom<'editor'>>(method: M, params: ParamsOf<M>): void {
    if (!this.#hasEnded) this.#send({ method, params });
  }

  close(): void {
    this.#stream.destroy();
  }

  #send(message: object): void {
    this.#stream.write(frameOf(JSON.stringify({ jsonrpc: '2.0', ...message })));
  }

  #receive(body: string): void {
    const { id, method, params, result, error } = JSON.parse(body) as Incoming;
    if (method === undefined) {
      const caller = typeof id === 'number' ? this.#waiting.get(id) : undefined;
      if (caller === undefined) return;
      this.#waiting.delete(Number(id));
      if (error === undefined) caller.resolve(result);
      else caller.reject(new BridgeError(error));
    } else if (id === undefined || id === null) {
      void this.#handle(method, params).catch(() => {});
    } else {
      void this.#handle(method, params).then(
        (value) => this.#answer({ id, result: value ?? null }),
        (reason: unknown) => this.#answer({ id, error: errorOf(reason) }),
      );
    }
  }

  #answer(message: object): void {
    if (!this.#hasEnded) this.#send(message);
  }

  async #handle(method: string, params: unknown): Promise<unknown> {
    const isKnown = Object.hasOwn(messages, method) && Object.hasOwn(this.#handlers, method);
    if (!isKnown) throw new BridgeError({ code: -32601, message: `Method not found: ${method}` });
    const spec: MessageSpec = messages[method as keyof typeof messages];
    const given = spec.params.read(params, 'params') as { readonly deadline?: number } | undefined;
    if (given?.deadline !== undefined && given.deadline < Date.now()) throw new Error(`${method} came too late`);
    return await (this.#handlers[method as keyof WireHandlers] as (params: unknown) => unknown)(given);
  }
}

function errorOf(reason: unknown): object {
  const message = messageOf(reason);
  const code = reason instanceof BridgeError ? reason.code : reason instanceof InvalidValue ? -32602 : -32603;
  return { code, message };
}
