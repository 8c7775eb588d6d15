import type { Socket } from 'node:net';
import type { Random } from './random.ts';

/** Writes bytes in one to three pieces, each in a turn of the event loop. */
export async function writeInPieces(socket: Socket, bytes: Buffer, random: Random): Promise<void> {
  const pieces = 1 + random.below(3);
  for (let piece = 0; piece < pieces; piece += 1) {
    const from = Math.floor((bytes.length * piece) / pieces);
    socket.write(bytes.subarray(from, Math.floor((bytes.length * (piece + 1)) / pieces)));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
