import type { Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '@hawser/user-files/alive';
import { randomName } from '@hawser/user-files/names';
import type { BridgeServices } from '../../agent.ts';
import { closeAll, closeNow } from '../../close-all.ts';
import type { Address } from '../../discovery/address.ts';
import {
  type Identity,
  type IdentityPlace,
  newToken,
  recallIdentity,
  rememberIdentity,
  sameToken,
} from '../../discovery/identity.ts';
import { isListening } from '../../discovery/listening.ts';
import type { ReadLock } from '../../discovery/lock.ts';
import { heldByAnother, type LockFile, type LockFileOptions, openLockFile } from '../../discovery/lock-file.ts';
import { makeSocketFolder, removeSilentSocket, socketPrefix } from '../../discovery/socket-folder.ts';
import { type LazyListener, listenLazily, type Service } from './lazy-listener.ts';
import { isOwnSocket, tidyLater } from './tidy.ts';

/** The format and place of one lock file by which a kind of agent finds the bridge. */
export interface LockFormat {
  readonly folderFor: (folders: readonly string[]) => string;
  readonly nameFor: (address: Address) => string;
  readonly contentFor: (lock: LockContent) => string;
  readonly read: ReadLock;
  readonly emptyFolder?: LockFileOptions['emptyFolder'];
}

export interface LockContent extends Address {
  readonly token: string;
  readonly folders: readonly string[];
}

/** What the user of an adapter decides about its port and its files. */
export interface EndpointSettings {
  readonly stateFolder: string;
  /** The only port to use. Without it, the one from last time, or else any. */
  readonly port?: number | undefined;
}

/** The same for one whose lock files are in a folder of the agent. */
export interface LockSettings {
  /** What the agent calls the editor. */
  readonly ideName: string;
  /** Where the agent looks for lock files. */
  readonly lockFolder: string;
}

/** What the user of an adapter over HTTP decides besides. */
export interface HttpAgentSettings {
  /** An agent counts as gone this many milliseconds after its stream, or its unanswered request, has closed. Default 2000. */
  readonly abandonedMs?: number | undefined;
}

export interface EndpointOptions<S extends Service> extends EndpointSettings {
  readonly bridge: BridgeServices;
  /** The adapter's name. */
  readonly agent: string;
  /** Listen on a unix socket in this folder, not on a port. */
  readonly socketFolder?: string | undefined;
  /** Makes the service when the first client connects. */
  readonly serve: (entrance: Entrance) => Promise<S>;
  readonly locks: readonly LockFormat[];
}

/** Where a service gets its connections, and how it knows who may connect. */
export interface Entrance {
  readonly listener: Server;
  readonly isToken: (token: unknown) => boolean;
}

export interface Endpoint<S extends Service> extends Address {
  readonly token: string;
  /** Undefined until a client has connected. */
  readonly service: S | undefined;
  readonly lockPaths: readonly string[];
  /** The workspace has changed. */
  update(folders: readonly string[]): void;
  /** Removes the lock files at once, for a process that is about to end. */
  removeLocks(): void;
  close(): Promise<void>;
}

/**
 * Listens and writes the lock files. Agents that lost the connection try the same address with the same token, so both
 * are remembered for the workspace.
 */
export async function openEndpoint<S extends Service>(options: EndpointOptions<S>): Promise<Endpoint<S>> {
  const { listener, address, token } = await listenAt(options);
  const files: MovingLock[] = [];
  const removeLocks = () => closeNow(files.map((file) => () => file.close()));
  try {
    for (const lock of options.locks) files.push(openMovingLock(lock, { ...options, address, token }));
  } catch (error) {
    await closeAll([removeLocks, () => listener.close()]).catch(() => {});
    throw error;
  }
  const { bridge, stateFolder, socketFolder } = options;
  const lockPaths = () => files.map(({ path }) => path);
  const stopTidying = tidyLater(bridge, { stateFolder, socketFolder, address, lockPaths });
  return {
    ...address,
    token,
    get service() {
      return listener.service;
    },
    get lockPaths() {
      return lockPaths();
    },
    update: (folders) => {
      for (const file of files) file.update(folders);
    },
    removeLocks,
    // The files first, so that no agent connects while the others leave.
    close: () => closeAll([stopTidying, removeLocks, () => listener.close()]),
  };
}

type LockOptions = Pick<EndpointOptions<Service>, 'agent' | 'bridge' | 'stateFolder'>;
type SocketPlace = Pick<EndpointOptions<Service>, 'socketFolder'>;

interface MovingLock {
  readonly path: string;
  update(folders: readonly string[]): void;
  close(): void;
}

/** A lock file that follows the workspace into another folder. Throws if it can't be written. */
function openMovingLock(
  lock: LockFormat,
  options: LockOptions & { readonly address: Address; readonly token: string },
): MovingLock {
  const { agent, bridge, address, token, stateFolder } = options;
  const { log } = bridge;
  const { pid } = bridge.identity;
  const { folders } = bridge.editor;
  const name = lock.nameFor(address);
  const contentFor = (given: readonly string[]) => lock.contentFor({ ...address, token, folders: given });
  const write = (directory: string, content: string): LockFile =>
    openLockFile({
      directory,
      name,
      content,
      isTaken: heldByAnother({ name, read: lock.read, pid, isAlive }),
      owner: { stateFolder, ...address, pid, token },
      ...(lock.emptyFolder && { emptyFolder: lock.emptyFolder }),
      onEvent: (event) => log.info('lock', { agent, ...event }),
    });
  let directory = lock.folderFor(folders);
  let file = write(directory, contentFor(folders));
  warn(file.warning, options);
  let isClosed = false;
  return {
    get path() {
      return file.path;
    },
    update: (changed) => {
      if (isClosed) return;
      try {
        const next = lock.folderFor(changed);
        if (next === directory) return file.update(contentFor(changed));
        const moved = write(next, contentFor(changed));
        file.close();
        [file, directory] = [moved, next];
      } catch (error) {
        log.error('lock', { agent, kind: 'failed', message: (error as Error).message });
      }
    },
    close: () => {
      isClosed = true;
      file.close();
    },
  };
}

function warn(warning: Error | undefined, { agent, bridge }: LockOptions): void {
  if (warning !== undefined) bridge.log.error('folder', { agent, message: warning.message });
}

interface Listening<S extends Service> {
  readonly listener: LazyListener<S>;
  readonly address: Address;
  readonly token: string;
}

/** This many bridges of one workspace at once keep their addresses and tokens across restarts. */
const MAX_BRIDGES = 8;

function placesOf({ stateFolder, bridge, agent }: LockOptions): IdentityPlace[] {
  const { folders } = bridge.editor;
  return Array.from({ length: MAX_BRIDGES }, (_, nth) => ({
    stateFolder,
    folders,
    agent: nth === 0 ? agent : `${agent} ${nth + 1}`,
  }));
}

/** Listens with the first identity of this workspace that no other bridge uses. */
async function listenAt<S extends Service>(options: EndpointOptions<S>): Promise<Listening<S>> {
  const { socketFolder, serve, agent, bridge } = options;
  if (socketFolder !== undefined) makeSocketFolder(socketFolder);
  const listen = async (place: IdentityPlace, known: Identity | undefined, at: Address): Promise<Listening<S>> => {
    const token = known?.token ?? newToken();
    if (at.socketPath !== undefined) await removeSilentSocket(at.socketPath);
    const isToken = (given: unknown) => typeof given === 'string' && sameToken(given, token);
    const listener = await listenLazily({
      address: at,
      serve: (accepting) => serve({ listener: accepting, isToken }),
      onProblem: ({ message }) => bridge.log.error('agent', { agent, message }),
    });
    const address: Address = { port: listener.port, ...(at.socketPath !== undefined && { socketPath: at.socketPath }) };
    try {
      warn(rememberIdentity(place, { ...address, token }, new Date()), options);
    } catch (error) {
      await listener.close();
      throw error;
    }
    return { listener, address, token };
  };
  const places = placesOf(options);
  for (const place of places) {
    const known = recallIdentity(place);
    if (options.port !== undefined) {
      const isAnothers = known !== undefined && known.port !== options.port && (await isListening(known));
      if (isAnothers) continue;
      return listen(place, known, { port: options.port });
    }
    try {
      return await listen(place, known, isUsable(known, options) ? known : newAddress(options));
    } catch (error) {
      if (known === undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  const last = places[MAX_BRIDGES - 1] as IdentityPlace; // the list has MAX_BRIDGES items
  return listen(last, undefined, options.port === undefined ? newAddress(options) : { port: options.port });
}

/** As long as the names of all sockets of endpoints. */
export const LONGEST_SOCKET_NAME = `${'0'.repeat(16)}.sock`;

function newAddress({ socketFolder }: SocketPlace): Address {
  if (socketFolder === undefined) return { port: 0 };
  return { port: 0, socketPath: join(socketFolder, `${socketPrefix()}${randomName(8)}.sock`) };
}

/** The remembered socket may be in another folder, after the user has moved the state folder, or of another machine. */
function isUsable(known: Identity | undefined, { socketFolder }: SocketPlace): known is Identity {
  if (known?.socketPath === undefined) return known !== undefined && socketFolder === undefined;
  return dirname(known.socketPath) === socketFolder && isOwnSocket(basename(known.socketPath));
}
