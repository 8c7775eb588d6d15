import { messageOf } from '@hawser/unknown-values/thrown';
import { isAlive } from '@hawser/user-files/alive';
import type { BridgeServices, OpenEndpoint } from '../../agent.ts';
import { forgetIdentities } from '../../discovery/identity.ts';
import { isListening } from '../../discovery/listening.ts';
import { removeSilentSockets, socketPrefix } from '../../discovery/socket-folder.ts';
import { sweep } from '../../discovery/sweep.ts';

const TIDY_AFTER_MS = 20;
const MAX_UNUSED_MS = 180 * 24 * 60 * 60 * 1000;

/**
 * Removes what crashed bridges left: lock files, sockets, half-written files, and identities unused for half a year. Once
 * for all endpoints that a bridge opens, and after that: an address that hangs or a folder with many files must not delay
 * a start. Call the result when the endpoint closes.
 */
export function tidyLater(bridge: BridgeServices, endpoint: OpenEndpoint): () => void {
  const { endpoints } = bridge;
  endpoints.add(endpoint);
  if (endpoints.size === 1) {
    void bridge.opened.then(() => setTimeout(() => void tidyAll(bridge, [...endpoints]), TIDY_AFTER_MS).unref());
  }
  return () => void endpoints.delete(endpoint);
}

/** Whether an endpoint on this machine made the socket of this name. */
export function isOwnSocket(name: string): boolean {
  return SOCKET_NAME.test(name) && name.startsWith(socketPrefix());
}

const SOCKET_NAME = /^[0-9a-f]{16}\.sock$/;

/** Never rejects. */
async function tidyAll({ log, identity }: BridgeServices, endpoints: readonly OpenEndpoint[]): Promise<void> {
  try {
    for (const stateFolder of new Set(endpoints.map((each) => each.stateFolder))) {
      const removed = await tidy(
        stateFolder,
        identity.pid,
        endpoints.filter((each) => each.stateFolder === stateFolder),
      );
      for (const path of removed) log.info('stale lock removed', { path });
    }
    for (const folder of new Set(endpoints.flatMap(({ socketFolder }) => socketFolder ?? []))) {
      await removeSilentSockets(folder, isOwnSocket);
    }
  } catch (error) {
    log.error('folder', { message: messageOf(error) });
  }
}

async function tidy(stateFolder: string, pid: number, own: readonly OpenEndpoint[]): Promise<readonly string[]> {
  // In a container an earlier bridge can have had the process id that this one has; then its address is asked.
  const isAnotherAlive = (candidate: number) => candidate !== pid && candidate !== process.pid && isAlive(candidate);
  const usedBefore = new Date(Date.now() - MAX_UNUSED_MS);
  forgetIdentities(stateFolder, { usedBefore, isAlive: isAnotherAlive });
  return await sweep(stateFolder, {
    isAlive: isAnotherAlive,
    isListening,
    recordedBefore: usedBefore,
    own: own.map(({ address, lockPaths }) => ({ address, paths: lockPaths() })),
  });
}
