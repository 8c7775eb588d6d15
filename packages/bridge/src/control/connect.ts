import { connect } from 'node:net';
import { type Connection, type Notification, Peer } from '@hawser/mcp';
import { listenStdio } from '@hawser/mcp/stdio';
import type { Ending } from '../desk.ts';
import {
  Event,
  type FullProposal,
  type Mention,
  Method,
  type Status,
  type Summary,
  type Went,
  type WireChoice,
} from './calls.ts';
import { MAX_MESSAGE_BYTES } from './listen.ts';
import { type ControlPlace, checkControlFolder } from './place.ts';

/** What happens while one watches. */
export interface Watcher {
  came(proposal: Summary): void;
  went(went: Went): void;
  changed(status: Status): void;
}

/** A running bridge, as its commands see it. Calls reject with an RpcError when the bridge refuses. */
export interface ControlClient {
  status(): Promise<Status>;
  list(): Promise<readonly Summary[]>;
  get(id: string): Promise<FullProposal>;
  decide(id: string, choice: WireChoice): Promise<Ending>;
  /** Once. What is there now; the watcher is told what comes after. */
  watch(watcher: Watcher): Promise<{ readonly status: Status; readonly proposals: readonly Summary[] }>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  mention(mention: Mention): Promise<{ readonly agents: number }>;
  /** Answered before the bridge ends; `closed` tells when it has. */
  stop(): Promise<{ readonly pid: number }>;
  /** Resolves when the connection is over. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Undefined when no bridge answers there. */
export async function connectControl({ directory, path }: ControlPlace): Promise<ControlClient | undefined> {
  checkControlFolder(directory);
  const socket = connect(path);
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    socket.once('connect', () => resolve(undefined));
    socket.on('error', resolve);
  });
  if (problem === undefined) {
    return controlClient(listenStdio({ input: socket, output: socket, maxMessageBytes: MAX_MESSAGE_BYTES }));
  }
  if (problem.code === 'ENOENT' || problem.code === 'ECONNREFUSED') return undefined;
  throw new Error(`The bridge cannot be reached: ${problem.message}`, { cause: problem });
}

/** Speaks over any connection, such as one within a process. */
export function controlClient(connection: Connection): ControlClient {
  let watcher: Watcher | undefined;
  let ended = () => {};
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const peer = new Peer(connection, {
    answer: () => {
      throw new Error('Nothing is answered here');
    },
    hear: (notification) => watcher && tell(watcher, notification),
    abandoned: () => {},
    complaint: () => {},
    batchRefusal: () => undefined,
    unreadableId: () => null,
    closed: () => ended(),
  });
  peer.start();
  // The bridge is of our own version, so its answers are what they should be.
  const call = <Result>(method: string, params?: object) => peer.request(method, { ...params }) as Promise<Result>;
  return {
    status: () => call(Method.status),
    list: () => call(Method.list),
    get: (id) => call(Method.get, { id }),
    decide: (id, choice) => call(Method.decide, { id, choice }),
    watch: (given) => {
      watcher = given;
      return call(Method.watch);
    },
    pause: () => call(Method.pause),
    resume: () => call(Method.resume),
    mention: (mention) => call(Method.mention, mention),
    stop: () => call(Method.stop),
    closed,
    close: () => peer.close(),
  };
}

function tell(watcher: Watcher, { method, params }: Notification): void {
  if (method === Event.came) watcher.came(params as unknown as Summary);
  else if (method === Event.went) watcher.went(params as unknown as Went);
  else if (method === Event.changed) watcher.changed(params as unknown as Status);
}
