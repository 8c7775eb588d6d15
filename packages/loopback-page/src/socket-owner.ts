import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** The two ends of a TCP connection within this machine. */
export interface LocalConnection {
  /** Of the program that connected. */
  readonly clientPort: number;
  readonly serverPort: number;
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * Refuses an HTTP connection of another user, where the system can tell. A loopback port is open to every user of this
 * machine, and a link that a browser is started with is seen by others for a moment.
 */
export function refuseOtherUsers(socket: Socket): void {
  const { remotePort: clientPort = 0, localPort: serverPort = 0 } = socket;
  if (!isOfOtherUser({ clientPort, serverPort }, process.getuid?.())) return;
  socket.on('error', () => {}); // `close` follows
  socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () => socket.destroy());
}

/**
 * Whether the program that connected belongs to another user than this one and root. Only Linux can tell: elsewhere, and
 * for a connection that has ended, the answer is false.
 */
export function isOfOtherUser(connection: LocalConnection, ownUser: number | undefined): boolean {
  if (ownUser === undefined) return false;
  const owner = TABLES.map((path) => ownerIn(tableAt(path), connection)).find((user) => user !== undefined);
  return owner !== undefined && owner !== ownUser && owner !== 0;
}

/** The id of the user who owns the client's end, from the text of /proc/net/tcp. */
export function ownerIn(table: string, { clientPort, serverPort }: LocalConnection): number | undefined {
  for (const line of table.split('\n')) {
    const [, local = '', remote = '', , , , , user] = line.trim().split(/\s+/);
    if (portIn(local) === clientPort && portIn(remote) === serverPort) return Number(user);
  }
  return undefined;
}

/** From an address such as `0100007F:1F90`. */
function portIn(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}

function tableAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
