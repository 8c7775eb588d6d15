import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type Connection, listenStdio } from '@hawser/mcp';
import { namesIn } from '../discovery/private-file.ts';
import { type ControlPlace, isAnswered, isSocketName, makeControlFolder } from './place.ts';

export interface ControlListener {
  /** Takes the socket away at once, for the end of the process. */
  remove(): void;
  /** Lets nobody in any more; those who are in stay. */
  close(): void;
}

/** A proposal of the largest size that a door lets in, twice, and as JSON. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
const MAX_CONNECTIONS = 64;

/**
 * Lets this user's commands in by a socket that nobody else can reach. Sockets of bridges that crashed are removed.
 * Rejects with an AlreadyServed when another bridge answers there.
 */
export async function listenControl(
  place: ControlPlace,
  accept: (connection: Connection) => void,
): Promise<ControlListener> {
  makeControlFolder(place);
  await sweepSockets(place.directory);
  const server = createServer((socket) => {
    // Whatever ends it, the connection learns of it as the end of its stream.
    socket.on('error', () => {});
    accept(listenStdio({ input: socket, output: socket, maxMessageBytes: MAX_MESSAGE_BYTES }));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listening(server, place.path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new AlreadyServed() : error;
  });
  chmodSync(place.path, 0o600);
  // Commands come and go; agents are what keeps a bridge running.
  server.unref();
  const { ino } = lstatSync(place.path);
  const remove = () => {
    if (lstatSync(place.path, { throwIfNoEntry: false })?.ino === ino) rmSync(place.path, { force: true });
  };
  return {
    remove,
    close: () => {
      remove();
      server.close();
    },
  };
}

export class AlreadyServed extends Error {
  override readonly name = 'AlreadyServed';

  constructor() {
    super('Another bridge serves this workspace: hawser review, status, stop and the like speak with that one');
  }
}

/** Removes the sockets at which nobody answers. */
async function sweepSockets(directory: string): Promise<void> {
  for (const name of namesIn(directory).filter(isSocketName)) {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || (await isAnswered(path))) continue;
    // Looked at again, because a new bridge may have come while we asked.
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === found.ino) rmSync(path, { force: true });
  }
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
