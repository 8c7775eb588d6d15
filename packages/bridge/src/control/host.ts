import { memoryPair } from '@hawser/mcp';
import type { Access } from '../access/access.ts';
import type { OpenAdapter } from '../agent.ts';
import type { Environment } from '../cli/environment.ts';
import type { Log } from '../cli/log.ts';
import type { Desk } from '../desk.ts';
import type { Editor } from '../editor.ts';
import { type ControlClient, controlClient } from './connect.ts';
import { Control } from './control.ts';
import { type ControlListener, listenControl } from './listen.ts';
import { controlPlace } from './place.ts';

export interface ControlHostOptions {
  readonly folder: string;
  readonly review: string;
  readonly editor: Editor;
  /** Points agents to a file, where the editor lets others do that. */
  readonly mention?: ((path: string, lines?: { readonly first: number; readonly last: number }) => void) | undefined;
  readonly access: Access;
  /** What `hawser review` decides on; it stays empty when the editor shows proposals itself. */
  readonly desk: Desk;
  readonly stop: () => void;
  readonly log: Log;
  readonly environment: Environment;
}

/** What the person who runs a bridge has to do with it: `hawser review`, `pause`, `status`, `mention`, `stop`. */
export interface ControlHost {
  /** Lets commands in. A bridge that cannot do that serves agents all the same, and says so in its log. */
  open(doors: readonly OpenAdapter[]): Promise<void>;
  /** Something that the status tells has changed. */
  changed(): void;
  /** The same from within this process. */
  connect(): ControlClient;
  /** Takes the socket away at once. */
  hide(): void;
  close(): Promise<void>;
}

export function openControlHost(options: ControlHostOptions): ControlHost {
  const { folder, review, editor, mention, access, desk, stop, log, environment } = options;
  const { pid, version } = environment;
  let doors: readonly OpenAdapter[] = [];
  let listener: ControlListener | undefined;
  const control = new Control({
    pid,
    version,
    review,
    editor,
    access,
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
