import { once } from 'node:events';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Connection } from '@hawser/mcp';
import { listenStdio } from '@hawser/mcp/stdio';
import { makeSocketFolder, removeSilentSockets } from '../discovery/socket-folder.ts';
import { Event } from './calls.ts';
import { isOfThisMachine, newSocketName } from './place.ts';

export interface ControlListener {
  readonly path: string;
  /** Removes the socket at once, for a process that is about to end. */
  remove(): void;
  /** Accepts no more connections; open ones stay. */
  close(): void;
}

/** A proposal of the largest size that adapters accept, with both texts, as JSON. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
/** A reviewer that attaches is sent all open proposals at once. */
const MAX_QUEUED_BYTES = 2 * MAX_MESSAGE_BYTES;
const LIMITS = { maxMessageBytes: MAX_MESSAGE_BYTES, maxQueuedBytes: MAX_QUEUED_BYTES };
const MAX_CONNECTIONS = 256;
const HEADER_START = 'C'.charCodeAt(0);
const SWEEP_AFTER_MS = 20;

/** What to do with who connects. */
export interface ControlDoor {
  command(connection: Connection): void;
  /** A window of an editor; without it, editors can't join. */
  readonly editor?: ((socket: Socket) => void) | undefined;
}

/**
 * Listens for this user's commands, and for editors, on a socket that other users can't reach. Removes the sockets of
 * crashed bridges.
 */
export async function listenControl(
  { folder, pid }: { readonly folder: string; readonly pid: number },
  door: ControlDoor,
): Promise<ControlListener> {
  makeSocketFolder(folder);
  const path = join(folder, newSocketName(pid));
  let open = 0;
  const server = createServer((socket) => {
    // The connection sees an error as the end of its stream.
    socket.on('error', () => {});
    if (open >= MAX_CONNECTIONS) return refuse(socket);
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    socket.once('readable', () => {
      const first: Buffer | null = socket.read();
      if (first === null) return;
      socket.unshift(first);
      // A command begins with a brace, an editor with the header Content-Length.
      if (first[0] === HEADER_START && door.editor !== undefined) door.editor(socket);
      else door.command(listenStdio({ input: socket, output: socket, ...LIMITS }));
    });
  });
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o600);
  // After the start, which it must not delay. It never rejects.
  setTimeout(() => void sweepSockets(folder), SWEEP_AFTER_MS).unref();
  // Only agents keep a bridge running.
  server.unref();
  const { ino } = lstatSync(path);
  const remove = () => {
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
  };
  return {
    path,
    remove,
    close: () => {
      try {
        remove();
      } finally {
        server.close();
      }
    },
  };
}

/** Tells the command why, so that it can tell the user. */
function refuse(socket: Socket): void {
  const reason = `The bridge has ${MAX_CONNECTIONS} connections from commands already; end some of them and try again`;
  socket.end(`${JSON.stringify({ jsonrpc: '2.0', method: Event.refused, params: { reason } })}\n`);
  socket.resume();
}

async function sweepSockets(folder: string): Promise<void> {
  try {
    await removeSilentSockets(folder, isOfThisMachine);
  } catch {
    // The next start tries again.
  }
}
