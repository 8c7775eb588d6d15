import type { Server, ServerSession } from '@hawser/mcp';
import type { AgentClient, OpenAdapter } from '../agent.ts';
import { isAlive, isListening } from '../discovery/alive.ts';
import {
  forgetIdentities,
  type Identity,
  type IdentityPlace,
  newToken,
  recallIdentity,
  rememberIdentity,
  sameToken,
} from '../discovery/identity.ts';
import type { ReadLock } from '../discovery/lock.ts';
import { heldByAnother, type LockFileEvent, type LockFileOptions, openLockFile } from '../discovery/lock-file.ts';
import { type SweepReport, sweep } from '../discovery/sweep.ts';

/** What a door listens with. */
export interface Listener {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/** The file by which one kind of agent finds its door. */
export interface LockFormat {
  /** In which folder, by the folders of the workspace. */
  readonly folderFor: (folders: readonly string[]) => string;
  readonly nameFor: (port: number) => string;
  readonly contentFor: (lock: {
    readonly port: number;
    readonly token: string;
    readonly folders: readonly string[];
  }) => string;
  readonly read: ReadLock;
  readonly emptyFolder?: LockFileOptions['emptyFolder'];
}

export interface EndpointOptions {
  /** Tells the doors of one workspace apart. */
  readonly door: string;
  readonly stateFolder: string;
  readonly folders: readonly string[];
  /** The process whose end makes our lock stale. */
  readonly pid: number;
  /** The only port to take. Without it, the one from last time, or else any. */
  readonly port?: number | undefined;
  readonly listen: (port: number, isToken: (token: unknown) => boolean) => Promise<Listener>;
  readonly lock: LockFormat;
  readonly onLockEvent?: ((event: LockFileEvent) => void) | undefined;
  /** A folder that we keep secrets in is not as private as it should be. */
  readonly onWarning?: ((warning: Error) => void) | undefined;
  /** What became of the locks of others in the folder of ours. */
  readonly onSwept?: ((report: SweepReport) => void) | undefined;
}

export interface Endpoint {
  readonly url: string;
  readonly port: number;
  readonly lockPath: string;
  /** The workspace has changed. */
  update(folders: readonly string[]): void;
  /** Takes the lock away at once, for the end of the process. */
  removeLock(): void;
  close(): Promise<void>;
}

/** A door that agents come through by this endpoint to a server. `stops` end what feeds it. */
export function asOpenAdapter(
  name: string,
  server: Server,
  endpoint: Endpoint,
  stops: readonly (() => void)[],
): OpenAdapter {
  let closing: Promise<void> | undefined;
  const close = async () => {
    for (const stop of stops) stop();
    endpoint.removeLock();
    await server.close();
    await endpoint.close();
  };
  return {
    name,
    address: endpoint.url,
    get lockPath() {
      return endpoint.lockPath;
    },
    clients: () => [...server.sessions].map(clientOf),
    removeLock: () => endpoint.removeLock(),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

export function clientOf({ clientInfo, state }: ServerSession): AgentClient {
  return { name: clientInfo?.name ?? 'unknown', version: clientInfo?.version, state };
}

/**
 * Listens, and tells agents where: agents that lost us come back to the same port with the same token, so both are
 * remembered for the workspace.
 */
export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { folders, lock, pid } = options;
  const { listener, token } = await listenAt(options);
  return orClose(listener, () => {
    const { port } = listener;
    const name = lock.nameFor(port);
    const write = (directory: string, content: string) =>
      openLockFile({
        directory,
        name,
        content,
        isTaken: heldByAnother({ name, read: lock.read, pid, isAlive }),
        ...(lock.emptyFolder && { emptyFolder: lock.emptyFolder }),
        ...(options.onLockEvent && { onEvent: options.onLockEvent }),
      });
    let directory = lock.folderFor(folders);
    let file = write(directory, lock.contentFor({ port, token, folders }));
    warn(file.warning, options);
    let isClosed = false;
    // Later and not awaited: neither a port that hangs nor many files may hold up our own.
    setImmediate(() => void tidy(directory, options).catch((error: Error) => warn(error, options)));
    return {
      url: listener.url,
      port,
      get lockPath() {
        return file.path;
      },
      update: (changed) => {
        if (isClosed) return;
        try {
          const content = lock.contentFor({ port, token, folders: changed });
          const next = lock.folderFor(changed);
          if (next === directory) return file.update(content);
          const moved = write(next, content);
          file.close();
          [file, directory] = [moved, next];
        } catch (error) {
          options.onLockEvent?.({ kind: 'failed', error: error as Error });
        }
      },
      removeLock: () => {
        isClosed = true;
        file.close();
      },
      close: async () => {
        isClosed = true;
        // First, so that no agent comes while the others go.
        file.close();
        await listener.close();
      },
    };
  });
}

const MAX_UNUSED_MS = 180 * 24 * 60 * 60 * 1000;

/** Removes what crashes have left: locks, half-written files, and what nobody has used for half a year. */
async function tidy(directory: string, options: EndpointOptions): Promise<void> {
  const { lock, pid, stateFolder } = options;
  // A process that has our number was a former life of ours, as happens in containers: its port tells.
  const isAnotherAlive = (candidate: number) => candidate !== pid && candidate !== process.pid && isAlive(candidate);
  const ownTokens = placesOf(options).flatMap((place) => recallIdentity(place)?.token ?? []);
  const usedBefore = new Date(Date.now() - MAX_UNUSED_MS);
  forgetIdentities(stateFolder, { usedBefore, isAlive: isAnotherAlive });
  const report = await sweep(directory, { read: lock.read, isAlive: isAnotherAlive, isListening, ownTokens });
  options.onSwept?.(report);
}

function warn(warning: Error | undefined, { onWarning }: EndpointOptions): void {
  if (warning !== undefined) onWarning?.(warning);
}

interface Listening {
  readonly listener: Listener;
  readonly token: string;
}

/** So many bridges that serve one workspace at once keep their ports and tokens from one start to the next. */
const MAX_BRIDGES = 8;

function placesOf({ stateFolder, folders, door }: EndpointOptions): IdentityPlace[] {
  return Array.from({ length: MAX_BRIDGES }, (_, nth) => ({
    stateFolder,
    folders,
    door: nth === 0 ? door : `${door} ${nth + 1}`,
  }));
}

/** Listens under the first name of this workspace that no other bridge has. */
async function listenAt(options: EndpointOptions): Promise<Listening> {
  const listen = async (place: IdentityPlace, known: Identity | undefined, port: number): Promise<Listening> => {
    const token = known?.token ?? newToken();
    const listener = await options.listen(port, (given) => typeof given === 'string' && sameToken(given, token));
    const remember = () => rememberIdentity(place, { port: listener.port, token }, new Date());
    warn(await orClose(listener, remember), options);
    return { listener, token };
  };
  const places = placesOf(options);
  for (const place of places) {
    const known = recallIdentity(place);
    if (options.port !== undefined) {
      const isAnothers = known !== undefined && known.port !== options.port && (await isListening(known.port));
      if (isAnothers) continue;
      return listen(place, known, options.port);
    }
    try {
      return await listen(place, known, known?.port ?? 0);
    } catch (error) {
      if (known === undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  const last = places[MAX_BRIDGES - 1] as IdentityPlace; // there are so many
  return listen(last, undefined, options.port ?? 0);
}

async function orClose<T>(listener: Listener, work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    await listener.close();
    throw error;
  }
}
