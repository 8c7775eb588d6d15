import { Peer, RpcError } from '@hawser/mcp';
import { socketConnection } from '@hawser/page-parts/socket-connection';
import { messageOf } from '@hawser/unknown-values/thrown';
import {
  ABORT,
  type AnswerOf,
  CHANNEL_PATH,
  type EventName,
  type Events,
  Failure,
  type Method,
  type ParamsOf,
  type Problem,
  type ServerError,
  SUBPROTOCOL,
} from '../calls.ts';

export type Listeners = { readonly [E in EventName]: (params: Events[E]) => void };

/** Why the channel ended. */
export type ChannelEnd =
  /** The secret is wrong or used up. */
  | 'refused'
  /** The command ended, or the connection broke. */
  | 'lost';

export interface ChannelOptions {
  /** The secret of the page: `link.…` or `page.…`. */
  readonly proof: string;
  readonly listeners: Listeners;
  readonly closed: (end: ChannelEnd) => void;
}

/** WebSocket close code for a violated policy. */
const REFUSED = 1008;

/** The connection of the page to the command. */
export class Channel {
  readonly #peer: Peer;

  constructor({ proof, listeners, closed }: ChannelOptions) {
    const socket = new WebSocket(`ws://${location.host}${CHANNEL_PATH}`, [SUBPROTOCOL, proof]);
    let end: ChannelEnd = 'lost';
    const peer = new Peer(
      socketConnection(socket, (code) => {
        if (code === REFUSED) end = 'refused';
      }),
      {
        respond: () => {
          throw new Error('This page does not answer requests');
        },
        receive: ({ method, params }) => {
          if (Object.hasOwn(listeners, method)) listeners[method as EventName](params as never);
        },
        abandoned: (id) => peer.notify(ABORT, { id }),
        failed: (error) => console.error(error),
        closed: () => closed(end),
      },
    );
    this.#peer = peer;
    peer.start();
  }

  /** Rejects with a CallFailed. An aborted call is aborted at the command, too. */
  async call<M extends Method>(method: M, params: ParamsOf<M>, signal?: AbortSignal): Promise<AnswerOf<M>> {
    try {
      return (await this.#peer.request(method, { ...params }, { signal })) as AnswerOf<M>;
    } catch (error) {
      throw new CallFailed(error);
    }
  }
}

/** Why a call failed, in words for the user. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly advice: string | undefined;
  /** What the server answered, if it answered with an error. */
  readonly serverError: ServerError | undefined;
  readonly isAborted: boolean;

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    const { code, data } = cause instanceof RpcError ? cause : { code: undefined, data: undefined };
    this.advice = code === Failure.notConnected ? (data as Problem).advice : undefined;
    this.serverError = code === Failure.answeredWithError ? (data as ServerError) : undefined;
    this.isAborted = cause instanceof DOMException && cause.name === 'AbortError';
  }
}
