import type { Socket } from 'node:net';
import { FrameReader, frameOf } from '@hawser/editor-protocol';
import type { Connection } from '@hawser/mcp';
import { ContentLengthConnection } from '../editors/remote/content-length-connection.ts';
import { MsgpackConnection, msgpackFrame, msgpackMessages } from '../editors/remote/msgpack-connection.ts';

/** How messages are put on the wire. */
interface Framing {
  connect(socket: Socket): Connection;
  /** One message. */
  frame(message: object): Uint8Array;
  read(socket: Socket, receive: (message: unknown) => void): Promise<void>;
}

/** JSON for every editor, and what Neovim speaks. */
export const FRAMINGS = {
  json: {
    connect: (socket) => new ContentLengthConnection(socket, socket),
    frame: (message) => Buffer.from(frameOf(JSON.stringify(message))),
    read: async (socket, receive) => {
      const frames = new FrameReader(64 * 1024 * 1024);
      socket.on('data', (chunk: Buffer) => {
        frames.push(chunk);
        for (let body = frames.take(); body !== undefined; body = frames.take()) receive(JSON.parse(body));
      });
    },
  },
  msgpack: {
    connect: (socket) => new MsgpackConnection(socket, socket),
    frame: msgpackFrame,
    read: async (socket, receive) => {
      try {
        for await (const message of msgpackMessages(socket)) receive(message);
      } catch {
        // The test has cut the connection.
      }
    },
  },
} as const satisfies Readonly<Record<string, Framing>>;
