import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { decode, decodeOversized, encode, malformed, PEEK_CHARS } from '../../jsonrpc/codec.ts';
import type { Connection, Outgoing, Receiver } from '../../jsonrpc/connection.ts';
import { ConnectionClosed, ErrorCode } from '../../jsonrpc/errors.ts';
import type { ConnectionLimits } from '../../jsonrpc/limits.ts';
import { Drain } from '../drain.ts';
import { textFrames } from './frames.ts';

/** A frame this much larger than the message limit is not read at all: the socket is closed with 1009. */
const OVERSIZE_MARGIN = 16 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 2000;
const NORMAL = 1000;
const TRY_AGAIN_LATER = 1013;

/** Options of `ws` for every socket that a FrameConnection takes. */
export function socketOptions({ maxMessageBytes }: Required<ConnectionLimits>) {
  return {
    perMessageDeflate: false,
    maxPayload: maxMessageBytes + OVERSIZE_MARGIN,
    // FrameConnection responds to pings itself: `ws` queues a pong for each, whether or not the peer reads them.
    autoPong: false,
  };
}

/** Messages as text frames on an open WebSocket. */
export class FrameConnection implements Connection {
  readonly #socket: WebSocket;
  readonly #raw: Socket | undefined;
  readonly #limits: Required<ConnectionLimits>;
  readonly #isClient: boolean;
  /** Passed to the receiver with each message. */
  readonly #origin: unknown;
  #receiver: Receiver | undefined;
  /** Messages of this tick, with their size; they leave in one write. */
  #texts: string[] = [];
  #chars = 0;
  #drain: Drain | undefined;
  /** The last ping that arrived while the peer was not reading. */
  #pendingPing: Buffer | undefined;
  #closedBy: Error | undefined;
  #closing: Promise<void> | undefined;

  /** `raw` is the TCP socket under the WebSocket; frames of one tick leave it together. A client in Bun has none. */
  constructor(
    socket: WebSocket,
    raw: Socket | undefined,
    side: 'client' | 'server',
    limits: Required<ConnectionLimits>,
    origin?: unknown,
  ) {
    this.#origin = origin;
    this.#socket = socket;
    this.#raw = raw;
    this.#isClient = side === 'client';
    this.#limits = limits;
    socket.pause(); // until there is a receiver
    socket.on('message', (data: Buffer, isBinary) => this.#arrived(data, isBinary));
    socket.on('ping', (data) => this.#pinged(data));
    socket.on('close', (code, reason) => this.#ended(code, reason.toString()));
    // `close` follows every error.
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
    const { maxQueuedBytes } = this.#limits;
    if (this.#socket.bufferedAmount + this.#chars > maxQueuedBytes) {
      const reason = `The reader is too slow: more than ${maxQueuedBytes} bytes are waiting`;
      this.#closing ??= this.#finish(TRY_AGAIN_LATER, reason);
      return;
    }
    if (this.#texts.length === 0) process.nextTick(() => this.#flush());
    this.#texts.push(text);
    this.#chars += text.length;
  }

  async drained(): Promise<void> {
    this.#flush();
    const raw = this.#raw;
    if (raw === undefined || !raw.writableNeedDrain || raw.destroyed) return;
    this.#drain ??= new Drain(raw);
    const drain = this.#drain;
    await drain.done;
    if (this.#drain === drain) this.#drain = undefined;
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
      this.#socket.resume(); // to read the peer's close frame, even if `start` was not called
    });
  }

  #arrived(data: Buffer, isBinary: boolean): void {
    const receiver = this.#receiver;
    if (receiver === undefined) return; // closed before it was started
    const { maxMessageBytes } = this.#limits;
    if (data.length > maxMessageBytes) {
      const head = data.toString('utf8', 0, PEEK_CHARS);
      const tail = data.toString('utf8', Math.max(0, data.length - PEEK_CHARS));
      decodeOversized(head, tail, maxMessageBytes, receiver);
    } else if (isBinary && !isUtf8(data)) {
      receiver.malformed(malformed(ErrorCode.ParseError, 'Parse error: the frame is not valid UTF-8'));
    } else {
      decode(data.toString(), receiver, this.#origin, this.#limits);
    }
  }

  /** Responds at once, or, while the peer does not read, only to the last ping (RFC 6455, 5.5.3): pongs never pile up. */
  #pinged(data: Buffer): void {
    if (this.#raw === undefined || !this.#raw.writableNeedDrain) {
      this.#socket.pong(data);
      return;
    }
    const isWaiting = this.#pendingPing !== undefined;
    this.#pendingPing = data;
    if (isWaiting) return;
    this.#raw.once('drain', () => {
      const last = this.#pendingPing;
      this.#pendingPing = undefined;
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.pong(last);
    });
  }

  #ended(code: number, reason: string): void {
    this.#closedBy ??= new ConnectionClosed(`Closed by the peer: ${code}${reason === '' ? '' : ` ${reason}`}`);
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
    if (this.#isClient || this.#raw === undefined) this.#sendEach(texts);
    // Without compression `ws` writes each frame whole, so these frames can stand between its own.
    else this.#raw.write(textFrames(texts));
  }

  #sendEach(texts: readonly string[]): void {
    this.#raw?.cork();
    for (const text of texts) this.#socket.send(text);
    this.#raw?.uncork();
  }
}

/** A close frame holds at most 123 bytes of reason. */
export function clip(reason: string): string {
  return Buffer.from(reason)
    .subarray(0, 123)
    .toString()
    .replace(/\ufffd$/, '');
}
