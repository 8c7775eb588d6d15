import type { Key } from './keys.ts';
import type { Terminal } from './terminal.ts';
import type { KeyHelp, Screen, View } from './view.ts';

export interface FrameOptions {
  readonly terminal: Terminal;
  /** In the order of their tabs. A frame with one view has no tab bar. */
  readonly views: (screen: Screen) => readonly [View, ...View[]];
  /** What `q` and Ctrl-C ask first; undefined if they leave at once. */
  readonly leaveQuestion: () => string | undefined;
  /** What `q` does, for the help. */
  readonly leaveHelp: string;
  /** The same in a word. */
  readonly leaveHint: string;
  /** More keys that work in every view. */
  readonly keys: readonly FrameKey[];
  /** What Ctrl-Z does. A bridge does not stop while agents use it. */
  readonly suspending: 'allowed' | 'ignored';
}

export interface FrameKey extends KeyHelp {
  readonly key: Key;
  press(): void;
}

/** The keys that work in every view. */
export function frameHelp({ keys, leaveHelp, suspending }: FrameOptions, viewCount: number): readonly KeyHelp[] {
  return [
    ...(viewCount > 1 ? [{ keys: `1 … ${viewCount}`, does: 'another view, as the tab bar says' }] : []),
    ...keys,
    { keys: 'm', does: 'the mouse: used here, or left to the terminal, which then selects text with it' },
    { keys: 'Ctrl-L', does: 'draw the screen again' },
    ...(suspending === 'allowed' ? [{ keys: 'Ctrl-Z', does: 'back to the shell; fg returns' }] : []),
    { keys: '?', does: 'this help: j k and Space scroll it, any other key closes it' },
    { keys: 'q Ctrl-C', does: leaveHelp },
    { keys: '', does: 'Characters that can’t be shown appear as ^[ or <202E>, in reverse.' },
  ];
}
