import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { decode, decodeOversized, encode, malformed } from '../../jsonrpc/codec.ts';
import {
  type Connection,
  type ConnectionLimits,
  DEFAULT_MAX_BYTES,
  type Outgoing,
  type Receiver,
} from '../../jsonrpc/connection.ts';
import { ConnectionClosed, ErrorCode } from '../../jsonrpc/errors.ts';
import { textFrames } from './frames.ts';

/** Beyond the message limit by this much, a frame is not even read to be refused: the socket is closed with 1009. */
const OVERSIZE_MARGIN = 64 * 1024 * 1024;
const PEEK_BYTES = 512;
const CLOSE_TIMEOUT_MS = 2000;
const NORMAL = 1000;
const TRY_AGAIN_LATER = 1013;

export function hardLimit({ maxMessageBytes = DEFAULT_MAX_BYTES }: ConnectionLimits): number {
  return maxMessageBytes + OVERSIZE_MARGIN;
}

/** Messages as text frames on an open WebSocket. */
export class FrameConnection implements Connection {
  readonly #socket: WebSocket;
  readonly #raw: Socket;
  readonly #maxMessageBytes: number;
  readonly #maxQueuedBytes: number;
  readonly #isClient: boolean;
  #receiver: Receiver | undefined;
  /** What was sent in this tick, with its size; it leaves in one write. */
  #texts: string[] = [];
  #chars = 0;
  #closedBy: Error | undefined;
  #closing: Promise<void> | undefined;

  /** `raw` is the TCP socket under the WebSocket; frames of one tick leave it together. */
  constructor(socket: WebSocket, raw: Socket, limits: ConnectionLimits & { readonly isClient?: boolean } = {}) {
    this.#socket = socket;
    this.#raw = raw;
    this.#isClient = limits.isClient ?? false;
    this.#maxMessageBytes = limits.maxMessageBytes ?? DEFAULT_MAX_BYTES;
    this.#maxQueuedBytes = limits.maxQueuedBytes ?? DEFAULT_MAX_BYTES;
    socket.pause(); // until there is a receiver
    socket.on('message', (data: Buffer, isBinary) => this.#arrived(data, isBinary));
    socket.on('close', (code, reason) => this.#ended(code, reason.toString()));
    // `close` follows every error and tells the receiver.
    socket.on('error', (error) => {
      this.#closedBy ??= new ConnectionClosed(`The WebSocket failed: ${error.message}`);
    });
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#socket.resume();
    if (this.#socket.readyState === WebSocket.CLOSED) queueMicrotask(() => receiver.closed(this.#reason()));
  }

  send(message: Outgoing): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const text = encode(message);
    if (this.#socket.bufferedAmount + this.#chars > this.#maxQueuedBytes) {
      const reason = `The reader is too slow: more than ${this.#maxQueuedBytes} bytes are waiting`;
      this.#closing ??= this.#finish(TRY_AGAIN_LATER, reason);
      return;
    }
    if (this.#texts.length === 0) process.nextTick(flush, this);
    this.#texts.push(text);
    this.#chars += text.length;
  }

  async drained(): Promise<void> {
    this.#flush();
    if (!this.#raw.writableNeedDrain || this.#raw.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#raw.once('drain', resolve);
      this.#raw.once('close', resolve);
    });
  }

  close(reason = 'Closed by this side'): Promise<void> {
    this.#closing ??= this.#finish(NORMAL, reason);
    return this.#closing;
  }

  async #finish(code: number, reason: string): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    this.#closedBy ??= new ConnectionClosed(reason);
    this.#flush();
    await new Promise<void>((resolve) => {
      const giveUp = setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS);
      this.#socket.once('close', () => {
        clearTimeout(giveUp);
        resolve();
      });
      this.#socket.close(code, clip(reason));
    });
  }

  #arrived(data: Buffer, isBinary: boolean): void {
    const receiver = this.#receiver as Receiver; // nothing arrives before `start` resumes the socket
    if (data.length > this.#maxMessageBytes) {
      const head = data.toString('utf8', 0, PEEK_BYTES);
      const tail = data.toString('utf8', Math.max(0, data.length - PEEK_BYTES));
      decodeOversized(head, tail, this.#maxMessageBytes, receiver);
    } else if (isBinary && !isUtf8(data)) {
      receiver.malformed(malformed(ErrorCode.ParseError, 'Parse error: the frame is not valid UTF-8'));
    } else {
      decode(data.toString(), receiver);
    }
  }

  #ended(code: number, reason: string): void {
    this.#closedBy ??= new ConnectionClosed(`Closed by the other side: ${code}${reason === '' ? '' : ` ${reason}`}`);
    this.#receiver?.closed(this.#reason());
  }

  #reason(): Error {
    return this.#closedBy ?? new ConnectionClosed('The WebSocket is closed');
  }

  #flush(): void {
    if (this.#texts.length === 0) return;
    const texts = this.#texts;
    this.#texts = [];
    this.#chars = 0;
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#isClient) this.#sendMasked(texts);
    // Nothing is compressed, so a frame is whole whenever `ws` writes one, and ours may stand between its own.
    else this.#raw.write(textFrames(texts));
  }

  #sendMasked(texts: readonly string[]): void {
    this.#raw.cork();
    for (const text of texts) this.#socket.send(text);
    this.#raw.uncork();
  }

  static flush(connection: FrameConnection): void {
    connection.#flush();
  }
}

const { flush } = FrameConnection;

/** A close frame holds at most 123 bytes of reason. */
export function clip(reason: string): string {
  return Buffer.from(reason)
    .subarray(0, 123)
    .toString()
    .replace(/\ufffd$/, '');
}
