import { join } from 'node:path';

/** The environment of the command. main.ts reads it once. */
export interface Environment {
  readonly cwd: string;
  readonly home: string;
  readonly xdgCacheHome: string | undefined;
  /** The programs that SBCL_BIN and ECL_BIN name. */
  readonly programs: { readonly sbcl: string | undefined; readonly ecl: string | undefined };
  /** The environment variables of the Lisps. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly stderr: (line: string) => void;
}

/** The folder of saved cores. */
export function cacheFolderIn(home: string, xdgCacheHome: string | undefined): string {
  const base = xdgCacheHome?.startsWith('/') ? xdgCacheHome : join(home, '.cache');
  return join(base, 'hawser', 'lisp');
}
