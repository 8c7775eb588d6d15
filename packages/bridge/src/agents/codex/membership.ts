import { connect } from 'node:net';
import { codeOf } from '@hawser/user-files/private-file';
import { FRAME_LIMITS, FrameConnection, type FrameLimits } from './frame-connection.ts';
import type { Message } from './frames.ts';
import { type ContextProvider, failure, IpcError, newId, respond } from './messages.ts';

export interface Membership {
  /** Whether the owner of the socket passes requests on to us; undefined until it has answered. */
  readonly isAccepted: boolean | undefined;
  close(): void;
}

export interface MembershipEvents {
  /** The owner has answered, or not in time. Called again if it accepts us later. */
  settled(isAccepted: boolean): void;
  /** Called once, unless `close` was called. */
  ended(): void;
}

/**
 * Joins the program that owns the socket, and answers what it passes on. Resolves once it is connected, and to undefined
 * if nothing listens there.
 */
export async function joinRouter(
  path: string,
  provider: ContextProvider,
  events: MembershipEvents,
  limits: FrameLimits = FRAME_LIMITS,
): Promise<Membership | undefined> {
  const socket = connect(path);
  const problem = await new Promise<Error | undefined>((resolve) => {
    socket.once('connect', () => resolve(undefined));
    socket.on('error', resolve);
  });
  if (problem !== undefined) {
    if (codeOf(problem) === 'ECONNREFUSED' || codeOf(problem) === 'ENOENT') return undefined;
    throw new Error(`The socket ${path} can't be reached: ${problem.message}`, { cause: problem });
  }
  // The agents that the owner passes on keep the process running, not this connection.
  socket.unref();
  const helloId = newId();
  let ownId: string | undefined;
  let isAccepted: boolean | undefined;
  let isClosed = false;
  const settle = (accepted: boolean) => {
    clearTimeout(timer);
    // An answer that comes late counts.
    if (isAccepted === true || isAccepted === accepted) return;
    isAccepted = accepted;
    events.settled(accepted);
  };
  const receive = async (message: Message) => {
    const { type, requestId, request } = message;
    if (type === 'response' && requestId === helloId) {
      const { clientId } = (message.result ?? {}) as { readonly clientId?: unknown };
      if (typeof clientId === 'string') ownId = clientId;
      settle(ownId !== undefined);
    } else if (type === 'client-discovery-request') {
      const canHandle = await provider.canAnswer((request ?? {}) as Message).catch(() => false);
      connection.send({ type: 'client-discovery-response', requestId, response: { canHandle } });
    } else if (type === 'request') {
      const { method } = message;
      const isKnown = ownId !== undefined && typeof method === 'string';
      connection.send(isKnown ? await respond(provider, message, ownId ?? '') : failure(requestId, IpcError.noHandler));
    }
  };
  const connection: FrameConnection = new FrameConnection(
    socket,
    {
      received: (message) => void receive(message),
      closed: () => {
        clearTimeout(timer);
        if (!isClosed) events.ended();
      },
    },
    limits,
  );
  const timer = setTimeout(() => settle(false), limits.frameTimeoutMs);
  timer.unref();
  connection.send({
    type: 'request',
    requestId: helloId,
    sourceClientId: 'initializing-client',
    version: 0,
    method: 'initialize',
    // The name by which owners know editors.
    params: { clientType: 'vscode' },
  });
  return {
    get isAccepted() {
      return isAccepted;
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      connection.close();
    },
  };
}
