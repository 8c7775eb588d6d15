import { memoryPair } from '@hawser/mcp';
import type { Log } from '../log.ts';
import { controlClient } from './connect.ts';
import { Control, type Controlled } from './control.ts';
import type { ControlClient } from './control-client.ts';
import { type ControlListener, listenControl } from './listen.ts';
import { type ControlHome, controlFolder } from './place.ts';

export interface ControlHostOptions extends Controlled {
  /** Where commands look for the socket; without it they can't reach this bridge. */
  readonly home: ControlHome | undefined;
  readonly log: Log;
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
export async function openControlHost({ home, log, ...controlled }: ControlHostOptions): Promise<ControlHost> {
  const control = new Control(controlled);
  let listener: ControlListener | undefined;
  if (home !== undefined) {
    try {
      const place = { folder: controlFolder(home), pid: controlled.identity.pid };
      listener = await listenControl(place, (connection) => control.connect(connection));
    } catch (error) {
      log.error('control', { message: error instanceof Error ? error.message : String(error) });
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
