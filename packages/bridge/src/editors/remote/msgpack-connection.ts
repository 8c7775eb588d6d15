import type { Readable, Writable } from 'node:stream';
import {
  type Connection,
  ConnectionClosed,
  decodeValue,
  NotSerializable,
  type Outgoing,
  type Receiver,
  type RequestId,
} from '@hawser/mcp';
import { asError, messageOf } from '@hawser/unknown-values/thrown';
import { decodeMultiStream, encode } from '@msgpack/msgpack';
import { CONNECTION_LIMITS } from '../editor-limits.ts';

/** A message of Neovim's RPC. */
const [REQUEST, RESPONSE, NOTIFICATION] = [0, 1, 2];
/** What the plugin offers: it takes a message of the editor protocol. */
const RECEIVE = "require('hawser.rpc').receive(...)";
/** The name under which the plugin sends messages. */
const CHANNEL = 'hawser';
/** How often to check whether a prompt has been answered. */
const LOOK_AGAIN_MS = 50;

/**
 * The messages of the editor protocol in Neovim's own RPC: msgpack, which it reads several times faster than JSON. A message
 * to Neovim is a call of a Lua function, and one from it a notification that contains it.
 *
 * Neovim takes calls only in its main loop, which stands still at a prompt. So messages wait here, in their order, until it
 * says that it is free. The end of the input ends the connection.
 */
export class MsgpackConnection implements Connection {
  readonly #input: Readable;
  readonly #output: Writable;
  #waiting: { readonly id: unknown; readonly bytes: Uint8Array }[] = [];
  #waitingBytes = 0;
  #receiver: Receiver | undefined;
  #isLooking = false;
  #lookId = 0;
  #lookAgain: NodeJS.Timeout | undefined;
  #whenSent: (() => void)[] = [];
  #hasEnded = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    output.on('error', (error) => this.#end(`Writing failed: ${error.message}`));
    output.on('close', () => this.#end('Neovim has gone'));
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#input.on('error', (error) => this.#end(`Reading failed: ${error.message}`));
    this.#read(receiver).then(
      () => this.#end('Neovim has gone'),
      (error: unknown) => this.#end(messageOf(error)),
    );
  }

  send(message: Outgoing): void {
    if (this.#hasEnded) return;
    const bytes = msgpackFrame(message);
    this.#waiting.push({ id: 'method' in message ? message.id : undefined, bytes });
    this.#waitingBytes += bytes.length;
    const { maxQueuedBytes } = CONNECTION_LIMITS;
    if (this.#waitingBytes + this.#output.writableLength > maxQueuedBytes) {
      this.#end(`Neovim reads too slowly: more than ${maxQueuedBytes} bytes are waiting`);
      return;
    }
    this.#look();
  }

  /** A request that still waits here is never sent. */
  abandon(id: RequestId): void {
    const left = this.#waiting.find((each) => each.id === id);
    if (left === undefined) return;
    this.#waiting = this.#waiting.filter((each) => each !== left);
    this.#waitingBytes -= left.bytes.length;
  }

  async drained(): Promise<void> {
    while (!this.#hasEnded && (this.#waiting.length > 0 || this.#output.writableNeedDrain)) {
      await new Promise<void>((resolve) => {
        if (this.#waiting.length > 0) this.#whenSent.push(resolve);
        else this.#output.once('drain', resolve).once('close', resolve);
      });
    }
  }

  /** What waits for the answer to a prompt is dropped. */
  async close(reason = 'Closed by this side'): Promise<void> {
    this.#end(reason);
  }

  /** Asks Neovim whether it is free. This it answers even at a prompt. */
  #look(): void {
    if (this.#isLooking || this.#hasEnded) return;
    this.#isLooking = true;
    this.#lookId += 1;
    this.#output.write(encoded([REQUEST, this.#lookId, 'nvim_get_mode', []]));
  }

  #seen(mode: unknown): void {
    this.#isLooking = false;
    if ((mode as { readonly blocking?: unknown } | null)?.blocking === true) {
      this.#lookAgain = setTimeout(() => this.#look(), LOOK_AGAIN_MS);
      return;
    }
    for (const { bytes } of this.#waiting.splice(0)) this.#output.write(bytes);
    this.#waitingBytes = 0;
    this.#release();
  }

  async #read(receiver: Receiver): Promise<void> {
    const { maxMessageBytes: limit } = CONNECTION_LIMITS;
    const limits = { context: undefined, maxStrLength: limit, maxBinLength: limit, maxExtLength: limit };
    const stream = decodeMultiStream(this.#input as AsyncIterable<Uint8Array>, limits);
    for await (const message of stream) {
      if (this.#hasEnded) return;
      this.#take(message, receiver);
    }
  }

  #take(message: unknown, receiver: Receiver): void {
    if (!Array.isArray(message)) throw new Error('It sent something that is not a message');
    const [kind, first, second, third] = message;
    if (kind === RESPONSE && first === this.#lookId) this.#seen(third);
    if (kind === NOTIFICATION && first === CHANNEL && Array.isArray(second)) {
      const [content] = second;
      decodeValue(typeof content === 'object' ? { jsonrpc: '2.0', ...content } : content, receiver);
    }
    if (kind === REQUEST) this.#output.write(encoded([RESPONSE, first, `Unknown request: ${second}`, null]));
  }

  #release(): void {
    for (const sent of this.#whenSent.splice(0)) sent();
  }

  #end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#lookAgain);
    this.#waiting.length = 0;
    this.#release();
    // Not destroyed: what was written has to arrive, and this may be the stdout of the process.
    this.#output.end();
    this.#input.destroy();
    this.#receiver?.closed(new ConnectionClosed(reason));
  }
}

/** A message to Neovim, as bytes. Throws NotSerializable. */
export function msgpackFrame(message: unknown): Uint8Array {
  return encoded([NOTIFICATION, 'nvim_exec_lua', [RECEIVE, [message]]]);
}

/** The messages of the editor protocol in what Neovim writes. */
export async function* msgpackMessages(input: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  for await (const message of decodeMultiStream(input)) {
    if (!Array.isArray(message)) continue;
    const [kind, name, params] = message;
    if (kind === NOTIFICATION && name === CHANNEL && Array.isArray(params)) yield params[0];
  }
}

function encoded(message: readonly unknown[]): Uint8Array {
  try {
    return encode(message, { ignoreUndefined: true });
  } catch (error) {
    throw new NotSerializable(asError(error).message);
  }
}
