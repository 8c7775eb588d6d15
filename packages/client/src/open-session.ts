import type { Connection } from '@hawser/mcp';
import {
  Client,
  type ClientOptions,
  type ClientSession,
  type MessageObserver,
  ObservedConnection,
} from '@hawser/mcp/client';
import { connectTarget } from './connect-target.ts';
import type { Target } from './target.ts';

export interface SessionOptions extends Pick<ClientOptions, 'elicit' | 'createMessage' | 'roots' | 'capabilities'> {
  /** Of this program. */
  readonly version: string;
  /** The revision of MCP to speak. Default: the newest that the server knows. */
  readonly protocolVersion: string | undefined;
  /** Milliseconds for each request to be answered; progress starts it again. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Gets what a server on stdio writes to stderr. */
  readonly onStderr?: (text: string) => void;
  /** Sees every message. */
  readonly observer?: MessageObserver;
  /** Gets the connection before anything is sent on it, to send messages besides the session's. */
  readonly onConnection?: (connection: Connection) => void;
  /** Gets failures that no call can report. */
  readonly onError: (error: Error) => void;
}

/** Connects to a server, and agrees on a revision with it. */
export async function openSession(target: Target, options: SessionOptions): Promise<ClientSession> {
  return await startSession(await connectTarget(target, options), options);
}

/** Agrees on a revision with the server. Rejects, and closes the connection, when that fails. */
export async function startSession(connection: Connection, options: SessionOptions): Promise<ClientSession> {
  const { version, protocolVersion, timeout, signal, observer, onConnection, onError } = options;
  const { elicit, createMessage, roots, capabilities } = options;
  onConnection?.(connection);
  const client = new Client(
    { name: 'hawser', title: 'Hawser', version },
    {
      timeout,
      onError,
      ...(protocolVersion !== undefined && { protocolVersion }),
      ...(elicit && { elicit }),
      ...(createMessage && { createMessage }),
      ...(roots && { roots }),
      ...(capabilities && { capabilities }),
    },
  );
  const whole: MessageObserver = { ...NOTHING, malformed: reportMalformed(onError), ...observer };
  return await client.connect(observed(connection, whole, onError), {
    maxTimeout: timeout,
    ...(signal && { signal }),
  });
}

const NOTHING: MessageObserver = { received: () => {}, sent: () => {} };
/** Reported one by one; a server that logs to stdout sends many. */
const MAX_REPORTED = 3;

function reportMalformed(onError: (error: Error) => void): NonNullable<MessageObserver['malformed']> {
  let count = 0;
  return ({ error }) => {
    count += 1;
    if (count <= MAX_REPORTED) {
      onError(new Error(`The server sent something that is not a message: ${error.message}`));
    } else if (count === MAX_REPORTED + 1) {
      const advice = 'A server on stdio must log to stderr, not to stdout.';
      onError(new Error(`The server sends more that is not a message. ${advice}`));
    }
  };
}

function observed(connection: Connection, observer: MessageObserver, onError: (error: Error) => void): Connection {
  const tapped = new ObservedConnection(connection, (error) => onError(error as Error));
  tapped.observe(observer);
  return tapped;
}
