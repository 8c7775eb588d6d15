import type { Socket } from 'node:net';
import { type Connection, memoryPair } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { Log } from '../log.ts';
import { controlClient } from './connect.ts';
import { Control, type Controlled } from './control.ts';
import type { ControlClient } from './control-client.ts';
import { type ControlListener, listenControl } from './listen.ts';
import { type ControlHome, controlFolder } from './place.ts';

export interface ControlHostOptions extends Omit<Controlled, 'acceptsEditors'> {
  /** Where commands look for the socket; without it they can't reach this bridge. */
  readonly home: ControlHome | undefined;
  readonly log: Log;
  /** Lets windows of editors join; without it they can't. */
  readonly acceptEditor?: ((socket: Socket) => void) | undefined;
}

/** Lets the user's commands reach a bridge: `hawser review`, `pause`, `status`, `mention`, `stop`. */
export interface ControlHost {
  /** The status has changed. */
  changed(): void;
  /** A client within this process. */
  connect(): ControlClient;
  /** Removes the socket at once, for a process that is about to end. */
  removeSocket(): void;
  close(): Promise<void>;
}

/** A bridge whose socket can't be opened serves agents all the same, and logs why. */
export async function openControlHost(options: ControlHostOptions): Promise<ControlHost> {
  const { home, log, acceptEditor, ...controlled } = options;
  const control = new Control({ ...controlled, acceptsEditors: acceptEditor !== undefined });
  let listener: ControlListener | undefined;
  if (home !== undefined) {
    try {
      const place = { folder: controlFolder(home), pid: controlled.identity.pid };
      const command = (connection: Connection) => control.connect(connection);
      listener = await listenControl(place, { command, editor: acceptEditor });
    } catch (error) {
      log.error('control', { message: messageOf(error) });
    }
  }
  return {
    changed: () => control.changed(),
    connect: () => {
      const [ours, theirs] = memoryPair();
      control.connect(ours);
      return controlClient(theirs);
    },
    removeSocket: () => listener?.remove(),
    close: async () => {
      listener?.close();
      await control.close();
    },
  };
}
