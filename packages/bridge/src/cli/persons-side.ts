import { memoryPair } from '@hawser/mcp';
import { type ControlClient, controlClient } from '../control/connect.ts';
import { Control } from '../control/control.ts';
import { type ControlListener, listenControl } from '../control/listen.ts';
import { controlPlace } from '../control/place.ts';
import type { Desk } from '../desk.ts';
import type { OpenDoor } from '../door.ts';
import type { Editor } from '../editor.ts';
import type { Guard } from '../guard.ts';
import type { Environment } from './environment.ts';
import type { Log } from './log.ts';

export interface PersonsSideOptions {
  readonly folder: string;
  readonly review: string;
  readonly editor: Editor;
  /** Points agents to a file, where the editor lets others do that. */
  readonly mention?: ((path: string, lines?: { readonly first: number; readonly last: number }) => void) | undefined;
  readonly guard: Guard;
  /** What `hawser review` decides on; it stays empty when the editor shows proposals itself. */
  readonly desk: Desk;
  readonly stop: () => void;
  readonly log: Log;
  readonly environment: Environment;
}

/** What the person who runs a bridge has to do with it: `hawser review`, `pause`, `status`, `mention`, `stop`. */
export interface PersonsSide {
  /** Lets commands in. A bridge that cannot do that serves agents all the same, and says so in its log. */
  open(doors: readonly OpenDoor[]): Promise<void>;
  /** Something that the status tells has changed. */
  changed(): void;
  /** The same from within this process. */
  connect(): ControlClient;
  /** Takes the socket away at once. */
  hide(): void;
  close(): Promise<void>;
}

export function openPersonsSide(options: PersonsSideOptions): PersonsSide {
  const { folder, review, editor, mention, guard, desk, stop, log, environment } = options;
  const { pid, version } = environment;
  let doors: readonly OpenDoor[] = [];
  let listener: ControlListener | undefined;
  const control = new Control({
    pid,
    version,
    review,
    editor,
    guard,
    desk,
    stop,
    doors: () => doors,
    mention,
  });
  return {
    open: async (opened) => {
      doors = opened;
      try {
        listener = await listenControl(controlPlace(environment, folder), (connection) => control.connect(connection));
      } catch (error) {
        log.error('control', { message: error instanceof Error ? error.message : String(error) });
      }
    },
    changed: () => control.changed(),
    connect: () => {
      const [ours, theirs] = memoryPair();
      control.connect(ours);
      return controlClient(theirs);
    },
    hide: () => listener?.remove(),
    close: async () => {
      listener?.close();
      await control.close();
    },
  };
}
