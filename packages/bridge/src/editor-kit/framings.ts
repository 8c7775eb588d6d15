import type { Socket } from 'node:net';
import { FrameReader, frameOf } from '@hawser/editor-protocol';
import type { Connection } from '@hawser/mcp';
import { ContentLengthConnection } from '../editors/remote/content-length-connection.ts';
import { MsgpackConnection, msgpackFrame, msgpackMessages } from '../editors/remote/msgpack-connection.ts';

/** How messages are put on the wire. */
export interface Framing {
  connect(socket: Socket): Connection;
  /** A text with U+0000 can be sent, and the editor answers nothing while a prompt is open. */
  readonly isNeovims: boolean;
  /** One message. */
  frame(message: object): Uint8Array;
  read(socket: Socket, receive: (message: unknown) => void): Promise<void>;
}

/** JSON, for every editor. */
const json: Framing = {
  isNeovims: false,
  connect: (socket) => new ContentLengthConnection(socket, socket),
  frame: (message) => Buffer.from(frameOf(JSON.stringify(message))),
  read: async (socket, receive) => {
    const frames = new FrameReader(64 * 1024 * 1024);
    socket.on('data', (chunk: Buffer) => {
      frames.push(chunk);
      for (let body = frames.take(); body !== undefined; body = frames.take()) receive(JSON.parse(body));
    });
  },
};

/** What Neovim speaks. */
const msgpack: Framing = {
  isNeovims: true,
  connect: (socket) => new MsgpackConnection(socket, socket),
  frame: msgpackFrame,
  read: async (socket, receive) => {
    try {
      for await (const message of msgpackMessages(socket)) receive(message);
    } catch {
      // The test has cut the connection.
    }
  },
};

/** Waits for the first byte of a plugin: that of `Content-Length`, or of an array in msgpack. */
export async function framingOf(socket: Socket): Promise<Framing> {
  let first: Buffer | null = null;
  while (first === null && socket.readable) {
    await new Promise<void>((resolve) => {
      socket.once('readable', resolve).once('close', () => resolve());
    });
    first = socket.read() as Buffer | null;
  }
  if (first !== null) socket.unshift(first);
  return first?.[0] === 'C'.charCodeAt(0) ? json : msgpack;
}
