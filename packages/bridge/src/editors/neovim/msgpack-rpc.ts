import { decodeMultiStream, encode } from '@msgpack/msgpack';

// The npm client of Neovim reads the description of its whole API before the first request, which costs more than all
// the rest of our start; this is what we need of it.

export interface MsgpackRpcOptions {
  readonly reader: NodeJS.ReadableStream;
  readonly writer: NodeJS.WritableStream;
  readonly onNotification: (method: string, params: readonly unknown[]) => void;
  /** The stream has ended or broken. Called once. */
  readonly onEnd: (cause?: Error) => void;
}

const [REQUEST, RESPONSE, NOTIFICATION] = [0, 1, 2];

/** msgpack-RPC with Neovim, which may not ask us anything. Requests that are open at the end stay unanswered. */
export class MsgpackRpc {
  readonly #writer: NodeJS.WritableStream;
  readonly #onNotification: MsgpackRpcOptions['onNotification'];
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #lastId = 0;

  constructor({ reader, writer, onNotification, onEnd }: MsgpackRpcOptions) {
    this.#writer = writer;
    this.#onNotification = onNotification;
    let hasEnded = false;
    const end = (cause?: Error) => {
      if (!hasEnded) onEnd(cause);
      hasEnded = true;
    };
    reader.on('error', end);
    writer.on('error', end);
    this.#read(reader as unknown as AsyncIterable<Uint8Array>).then(() => end(), end);
  }

  /** Rejects with the error as Neovim sends it: `[kind, message]`. */
  request(method: string, params: readonly unknown[]): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#write([REQUEST, id, method, params]);
    });
  }

  async #read(stream: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const message of decodeMultiStream(stream)) this.#receive(message);
  }

  #receive(message: unknown): void {
    if (!Array.isArray(message)) return;
    const [kind, ...rest] = message;
    if (kind === RESPONSE) {
      const [id, error, result] = rest;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === null) waiting?.resolve(result);
      else waiting?.reject(error);
    } else if (kind === NOTIFICATION) {
      const [method, params] = rest;
      this.#onNotification(String(method), Array.isArray(params) ? params : []);
    } else if (kind === REQUEST) {
      const [id, method] = rest;
      this.#write([RESPONSE, id, `Unknown request: ${method}`, null]);
    }
  }

  #write(message: readonly unknown[]): void {
    this.#writer.write(encode(message, { ignoreUndefined: true }));
  }
}
