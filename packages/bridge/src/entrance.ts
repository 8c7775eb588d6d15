import type { Server, ServerSession } from '@hawser/mcp';
import { isAlive, isListening } from './discovery/alive.ts';
import { type Identity, newToken, recallIdentity, rememberIdentity, sameToken } from './discovery/identity.ts';
import type { ReadLock } from './discovery/lock.ts';
import { heldByAnother, type LockFileEvent, openLockFile } from './discovery/lock-file.ts';
import { type SweepReport, sweep } from './discovery/sweep.ts';
import type { DoorClient, OpenDoor } from './door.ts';

/** What a door listens with. */
export interface Listener {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/** The file by which one kind of agent finds its door. */
export interface LockPlan {
  readonly folder: string;
  readonly nameFor: (port: number) => string;
  readonly contentFor: (lock: {
    readonly port: number;
    readonly token: string;
    readonly folders: readonly string[];
  }) => string;
  readonly read: ReadLock;
}

export interface EntranceOptions {
  /** Tells the doors of one workspace apart. */
  readonly door: string;
  readonly stateFolder: string;
  readonly folders: readonly string[];
  /** The process whose end makes our lock stale. */
  readonly pid: number;
  /** The only port to take. Without it, the one from last time, or else any. */
  readonly port?: number | undefined;
  readonly listen: (port: number, isToken: (token: unknown) => boolean) => Promise<Listener>;
  readonly lock: LockPlan;
  readonly onLockEvent?: ((event: LockFileEvent) => void) | undefined;
  /** A folder that we keep secrets in is not as private as it should be. */
  readonly onWarning?: ((warning: Error) => void) | undefined;
  /** What became of the locks of others in the folder of ours. */
  readonly onSwept?: ((report: SweepReport) => void) | undefined;
}

export interface Entrance {
  readonly url: string;
  readonly port: number;
  readonly lockPath: string;
  /** The workspace has changed. */
  update(folders: readonly string[]): void;
  /** Takes the lock away at once, for the end of the process. */
  removeLock(): void;
  close(): Promise<void>;
}

/** A door that agents come through by this entrance to a server. `stops` end what feeds it. */
export function asOpenDoor(name: string, server: Server, entrance: Entrance, stops: readonly (() => void)[]): OpenDoor {
  let closing: Promise<void> | undefined;
  const close = async () => {
    for (const stop of stops) stop();
    entrance.removeLock();
    await server.close();
    await entrance.close();
  };
  return {
    name,
    address: entrance.url,
    lockPath: entrance.lockPath,
    clients: () => [...server.sessions].map(clientOf),
    removeLock: () => entrance.removeLock(),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

export function clientOf({ clientInfo, state }: ServerSession): DoorClient {
  return { name: clientInfo?.name ?? 'unknown', version: clientInfo?.version, state };
}

/**
 * Listens, and tells agents where: agents that lost us come back to the same port with the same token, so both are
 * remembered for the workspace.
 */
export async function openEntrance(options: EntranceOptions): Promise<Entrance> {
  const { door, stateFolder, folders, lock, pid } = options;
  const place = { stateFolder, folders, door };
  const known = recallIdentity(place);
  const { listener, token, isOurs } = await listenAt(options, known);
  try {
    const { port } = listener;
    // Another bridge that serves this workspace keeps its name.
    if (isOurs) warn(rememberIdentity(place, { port, token }, new Date()), options);
    const name = lock.nameFor(port);
    const file = openLockFile({
      directory: lock.folder,
      name,
      content: lock.contentFor({ port, token, folders }),
      isTaken: heldByAnother({ name, read: lock.read, pid, isAlive }),
      ...(options.onLockEvent && { onEvent: options.onLockEvent }),
    });
    warn(file.warning, options);
    // Not awaited: a port that hangs must not hold up our own.
    void sweep(lock.folder, { read: lock.read, isAlive, isListening, ownTokens: [token] }).then(
      (report) => options.onSwept?.(report),
      (error: Error) => warn(error, options),
    );
    return {
      url: listener.url,
      port,
      lockPath: file.path,
      update: (changed) => {
        try {
          file.update(lock.contentFor({ port, token, folders: changed }));
        } catch (error) {
          options.onLockEvent?.({ kind: 'failed', error: error as Error });
        }
      },
      removeLock: () => file.close(),
      close: async () => {
        // First, so that no agent comes while the others go.
        file.close();
        await listener.close();
      },
    };
  } catch (error) {
    await listener.close();
    throw error;
  }
}

function warn(warning: Error | undefined, { onWarning }: EntranceOptions): void {
  if (warning !== undefined) onWarning?.(warning);
}

interface Listening {
  readonly listener: Listener;
  readonly token: string;
  /** Whether port and token are those of this workspace from now on. */
  readonly isOurs: boolean;
}

async function listenAt({ port, listen }: EntranceOptions, known: Identity | undefined): Promise<Listening> {
  const token = known?.token ?? newToken();
  const withToken = (at: number, expected: string) =>
    listen(at, (given) => typeof given === 'string' && sameToken(given, expected));
  if (port !== undefined || known === undefined) {
    return { listener: await withToken(port ?? 0, token), token, isOurs: true };
  }
  try {
    return { listener: await withToken(known.port, token), token, isOurs: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    // Whoever has the port may have been shown the token, so it is of no use any more.
    const other = newToken();
    return { listener: await withToken(0, other), token: other, isOurs: false };
  }
}
