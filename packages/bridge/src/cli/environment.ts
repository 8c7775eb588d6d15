import { join } from 'node:path';

/** What the commands know of the world; read once, in main.ts. */
export interface Environment {
  readonly cwd: string;
  readonly home: string;
  readonly claudeConfigDir: string | undefined;
  /** Where state is kept between runs. */
  readonly stateFolder: string;
  readonly pid: number;
  readonly version: string;
  readonly isWindows: boolean;
  readonly stdout: (line: string) => void;
  readonly stderr: (line: string) => void;
}

export function stateFolderIn(home: string, xdgStateHome: string | undefined): string {
  const base = xdgStateHome !== undefined && xdgStateHome !== '' ? xdgStateHome : join(home, '.local', 'state');
  return join(base, 'hawser');
}
