import { createHash, randomBytes } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import type { WebSocketTarget } from '@hawser/client/target';

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** How a frame differs from what RFC 6455 wants of a client. */
export interface FrameOptions {
  readonly isFinal?: boolean;
  readonly isMasked?: boolean;
  readonly reservedBits?: number;
}

/** A WebSocket whose frames are written and read as they are. */
export interface RawWebSocket {
  readonly protocol: string | undefined;
  send(opcode: number, payload: Uint8Array | string, options?: FrameOptions): void;
  /** The next frame. Undefined if the connection ended, or there is none within the time. */
  next(milliseconds: number): Promise<Frame | undefined>;
  readonly hasEnded: boolean;
  close(): void;
}

export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

export type Handshake =
  | { readonly kind: 'open'; readonly socket: RawWebSocket }
  | { readonly kind: 'refused'; readonly status: number };

/** Asks for an upgrade. Rejects if there is no answer within the time. */
export function negotiateUpgrade(
  target: WebSocketTarget,
  milliseconds: number,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<Handshake> {
  const url = new URL(target.url.replace(/^ws/, 'http'));
  const key = randomBytes(16).toString('base64');
  const given = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': key,
    'Sec-WebSocket-Protocol': 'mcp',
    ...target.headers,
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const signal = AbortSignal.timeout(milliseconds);
    const call: ClientRequest = send(url, { headers: sent as Record<string, string>, agent: false, signal });
    call.once('error', (error) =>
      reject(signal.aborted ? new Error(`no answer to the upgrade within ${milliseconds} ms`) : error),
    );
    call.once('response', (response) => {
      response.resume();
      resolve({ kind: 'refused', status: response.statusCode ?? 0 });
    });
    call.once('upgrade', (response, socket, head) => {
      const expected = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      if (response.headers['sec-websocket-accept'] !== expected) reject(new Error('a wrong Sec-WebSocket-Accept'));
      else resolve({ kind: 'open', socket: frames(response, socket, head) });
    });
    call.end();
  });
}

function frames({ headers }: IncomingMessage, socket: Duplex, head: Buffer): RawWebSocket {
  let buffer = head;
  let hasEnded = false;
  let wake = () => {};
  const end = () => {
    hasEnded = true;
    wake();
  };
  socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    wake();
  });
  socket.on('error', end).on('end', end).on('close', end);
  return {
    protocol: headers['sec-websocket-protocol'],
    send: (opcode, payload, options) => {
      if (!socket.destroyed) socket.write(frameOf(opcode, Buffer.from(payload as string), options));
    },
    next: async (milliseconds) => {
      const until = performance.now() + milliseconds;
      for (;;) {
        const read = readFrame(buffer);
        if (read !== undefined) {
          buffer = read.rest;
          return read.frame;
        }
        const left = until - performance.now();
        if (hasEnded || left <= 0) return undefined;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    get hasEnded() {
      return hasEnded;
    },
    close: () => socket.destroy(),
  };
}

function frameOf(opcode: number, payload: Buffer, options: FrameOptions = {}): Buffer {
  const { isFinal = true, isMasked = true, reservedBits = 0 } = options;
  const size = payload.length;
  const head = size < 126 ? Buffer.alloc(2) : size < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = (isFinal ? 0x80 : 0) | (reservedBits << 4) | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (size < 126 ? size : size < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  if (!isMasked) return Buffer.concat([head, payload]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] as number))]);
}

/** Frames of a server are not masked. */
function readFrame(buffer: Buffer): { readonly frame: Frame; readonly rest: Buffer } | undefined {
  if (buffer.length < 2) return undefined;
  const short = (buffer[1] as number) & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (buffer.length < start) return undefined;
  const size = short < 126 ? short : short === 126 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
  if (buffer.length < start + size) return undefined;
  const frame = { opcode: (buffer[0] as number) & 0x0f, payload: buffer.subarray(start, start + size) };
  return { frame, rest: buffer.subarray(start + size) };
}
