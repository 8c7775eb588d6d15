import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { messages } from '@hawser/editor-protocol';
import type { Connection, Message, Receiver } from '@hawser/mcp';
import type { Environment } from '../command-line/environment.ts';
import { findBridges } from '../control/find.ts';
import { ContentLengthConnection } from '../editors/remote/content-length-connection.ts';

/** What an editor needs of a bridge. */
export interface Joining {
  readonly folder: string;
  /** Files that the editor's user wants never sent: another bridge must keep them, too. */
  readonly deny?: readonly string[] | undefined;
}

/** The socket of a bridge that serves the folder and lets editors join. */
export async function joinableBridge(
  { folder, deny = [] }: Joining,
  environment: Environment,
): Promise<string | undefined> {
  const { bridges } = await findBridges(environment).catch(() => ({ bridges: [] }));
  const found = bridges.find(({ status }) => {
    if (status.acceptsEditors !== true || status.isStandIn === true || !status.folders.includes(folder)) return false;
    return deny.every((pattern) => status.deny?.includes(pattern) === true);
  });
  await Promise.all(bridges.map(({ client }) => client.close()));
  return found?.path;
}

/** To the bridge that serves the folder and lets editors join. Undefined if there is none: this process is the bridge then. */
export async function connectBridge(joining: Joining, environment: Environment): Promise<Socket | undefined> {
  const path = await joinableBridge(joining, environment);
  if (path === undefined) return undefined;
  const socket = connect(path);
  return await new Promise((resolve) => {
    socket.once('connect', () => resolve(socket));
    // It has ended meanwhile.
    socket.once('error', () => resolve(undefined));
  });
}

/**
 * Relays an editor to the bridge of its folder, and calls `onEnd` when one of them ends; undefined then. If there is no such
 * bridge, resolves with the connection, from which nothing is missing.
 */
export async function joinOrStay(
  connection: Connection,
  deny: Joining['deny'],
  environment: Environment,
  onEnd: () => void,
): Promise<Connection | undefined> {
  const { first, whole } = peek(connection);
  const hello = await first;
  const folder = folderIn(() => hello as { readonly params?: unknown } | undefined);
  const socket = folder && (await connectBridge({ folder, deny }, environment));
  if (!socket) return whole;
  const bridge = new ContentLengthConnection(socket, socket);
  whole.start(receiverFor(bridge, onEnd));
  bridge.start(receiverFor(connection, onEnd));
  return undefined;
}

function receiverFor(target: Connection, closed: () => void): Receiver {
  const nothing = () => {};
  return {
    message: (message) => target.send(message),
    malformed: nothing,
    batch: nothing,
    refused: nothing,
    ended: nothing,
    closed,
  };
}

/** The first message, undefined if none comes, and a connection that still has it. */
function peek(connection: Connection): { readonly first: Promise<Message | undefined>; readonly whole: Connection } {
  let receiver: Receiver | undefined;
  let early: ((receiver: Receiver) => void)[] = [];
  const pass = (deliver: (receiver: Receiver) => void) => {
    if (receiver === undefined) early.push(deliver);
    else deliver(receiver);
  };
  const first = new Promise<Message | undefined>((resolve) => {
    const other = (deliver: (receiver: Receiver) => void) => {
      resolve(undefined);
      pass(deliver);
    };
    connection.start({
      message: (message, origin) => {
        resolve(message);
        pass((to) => to.message(message, origin));
      },
      malformed: (malformed) => other((to) => to.malformed(malformed)),
      batch: (items, origin) => other((to) => to.batch(items, origin)),
      refused: (id, reason) => other((to) => to.refused(id, reason)),
      ended: () => other((to) => to.ended()),
      closed: (reason) => other((to) => to.closed(reason)),
    });
  });
  const whole: Connection = {
    start: (given) => {
      receiver = given;
      for (const deliver of early) deliver(given);
      early = [];
    },
    send: (message) => connection.send(message),
    abandon: (id) => connection.abandon?.(id),
    drained: () => connection.drained(),
    close: (reason) => connection.close(reason),
  };
  return { first, whole };
}

/** The first workspace folder that an editor names in `initialize`. */
export function folderIn(readMessage: () => { readonly params?: unknown } | undefined): string | undefined {
  try {
    const [folder] = messages.initialize.params.read(readMessage()?.params, 'params').workspaceFolders;
    return folder && fileURLToPath(folder.uri);
  } catch {
    // The response to the message says what is wrong.
    return undefined;
  }
}
