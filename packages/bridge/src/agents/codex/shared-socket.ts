import type { Server, Socket } from 'node:net';
import { closeNow } from '../../close-all.ts';
import type { Log } from '../../log.ts';
import { FRAME_LIMITS, type FrameLimits } from './frame-connection.ts';
import { joinRouter, type Membership } from './membership.ts';
import type { ContextProvider } from './messages.ts';
import { type AskingAgent, Router, type RouterEvents } from './router.ts';
import { listenAt, prepareFolder, removeFolders, replaceStale } from './socket.ts';

export interface SharedSocketOptions {
  readonly path: string;
  readonly provider: ContextProvider;
  readonly log: Log;
  /** `changed` is also called when the role has changed. */
  readonly events: RouterEvents;
  readonly limits?: FrameLimits | undefined;
}

/** How we answer at the socket: we own it, its owner passes requests on to us, or its owner does not. */
export type Role = 'owner' | 'member' | 'outsider';

export interface SharedSocket {
  readonly path: string;
  readonly role: Role;
  readonly agents: readonly AskingAgent[];
  /** Accepts no more connections and removes the socket, at once. */
  stopListening(): void;
  close(): void;
}

const MAX_ATTEMPTS = 50;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 30_000;
/** An owner that ends the connection sooner than this is asked less and less often. */
const STEADY_MS = 5000;

/**
 * Listens at the socket, or joins the program that does: a socket that answers is never replaced. When its owner ends,
 * one of its members takes its place.
 */
export async function openSharedSocket(options: SharedSocketOptions): Promise<SharedSocket> {
  const { path, provider, log, events, limits = FRAME_LIMITS } = options;
  const router = new Router(provider, events, limits);
  let made: readonly string[] = [];
  let server: Server | undefined;
  let membership: Membership | undefined;
  let isClosed = false;
  let isTaking = false;
  let retryMs = FIRST_RETRY_MS;
  let timer: NodeJS.Timeout | undefined;

  const note = (message: string, event: 'info' | 'error' = 'info') =>
    log[event]('socket', { agent: 'codex', path, message });
  const join = async (): Promise<Membership | undefined> => {
    // Not `performance`: Node loads it when it is first used, and this runs at a start.
    const began = Date.now();
    return await joinRouter(
      path,
      provider,
      {
        settled: (isAccepted) => {
          if (isAccepted) note('another program owns it and passes requests on');
          else note('another program owns it and does not share it: Codex gets its context there', 'error');
          events.changed();
        },
        ended: () => {
          membership = undefined;
          // The attempt under way looks again by itself.
          if (isTaking) return;
          retryMs = Date.now() - began < STEADY_MS ? Math.min(2 * retryMs, LAST_RETRY_MS) : FIRST_RETRY_MS;
          retry();
        },
      },
      limits,
    );
  };
  const accept = (socket: Socket) => router.accept(socket);
  const isAnswered = async () => {
    membership = await join();
    return membership !== undefined;
  };
  const take = async () => {
    isTaking = true;
    try {
      await takeOrJoin();
    } finally {
      isTaking = false;
    }
  };
  const takeOrJoin = async () => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !isClosed; attempt += 1) {
      made = [...prepareFolder(path), ...made];
      server = await listenAt(path, accept);
      if (server === undefined && !(await isAnswered())) server = await replaceStale(path, isAnswered, accept);
      if (isClosed) stop();
      else if (server !== undefined || membership !== undefined) return events.changed();
    }
    if (!isClosed) throw new Error(`Opening and joining the socket both failed: ${path}`);
  };
  const retry = () => {
    if (isClosed) return;
    events.changed();
    timer = setTimeout(() => {
      take().catch((error: Error) => {
        note(error.message, 'error');
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
        retry();
      });
    }, retryMs);
    timer.unref();
  };
  const stopListening = () => {
    // Removes the socket before it returns.
    server?.close();
    server = undefined;
  };
  const stop = () => {
    const left = membership;
    membership = undefined;
    closeNow([stopListening, () => left?.close(), () => router.close(), () => removeFolders(made)]);
  };
  try {
    await take();
  } catch (error) {
    removeFolders(made);
    throw error;
  }
  return {
    path,
    get role() {
      if (server !== undefined) return 'owner';
      return membership?.isAccepted === true ? 'member' : 'outsider';
    },
    get agents() {
      return router.agents;
    },
    stopListening,
    close: () => {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      stop();
    },
  };
}
