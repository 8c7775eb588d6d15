import type { Socket } from 'node:net';
import { type Connection, memoryPair } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import { closeAll } from '../close-all.ts';
import type { Log } from '../log.ts';
import { controlClient } from './connected-client.ts';
import { type Caller, Control, type Controlled } from './control.ts';
import type { ControlClient } from './control-client.ts';
import { type ControlListener, listenControl } from './listen.ts';
import type { ReviewPages } from './pages.ts';
import { type ControlHome, controlFolder } from './place.ts';

export interface ControlHostOptions extends Omit<Controlled, 'acceptsEditors' | 'pages'> {
  /** Where commands look for the socket; without it they can't reach this bridge. */
  readonly home: ControlHome | undefined;
  readonly log: Log;
  /** Serves the review in the browser; each page is a connection. Without it there is no page. */
  readonly openPages?: ((door: PageDoor) => ReviewPages) | undefined;
  /** Lets windows of editors join; without it they can't. */
  readonly acceptEditor?: ((socket: Socket) => void) | undefined;
}

/** Where pages come in. */
export interface PageDoor {
  accept(connection: Connection, caller: Caller): void;
  /** Pages were opened or closed. */
  changed(): void;
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
  const { home, log, acceptEditor, openPages, ...controlled } = options;
  const pages = openPages?.({
    accept: (connection, caller) => control.connect(connection, caller),
    changed: () => control.changed(),
  });
  const control: Control = new Control({ ...controlled, pages, acceptsEditors: acceptEditor !== undefined });
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
    close: () => closeAll([() => listener?.close(), () => pages?.close(), () => control.close()]),
  };
}
