import { join } from 'node:path';

/** What the command knows of the world; read once, in main.ts. */
export interface Environment {
  readonly cwd: string;
  readonly home: string;
  readonly xdgCacheHome: string | undefined;
  /** The programs that SBCL_BIN and ECL_BIN name. */
  readonly programs: { readonly sbcl: string | undefined; readonly ecl: string | undefined };
  /** What the Lisps are started with. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly stderr: (line: string) => void;
}

/** Where saved cores are kept between runs. */
export function cacheFolderIn(home: string, xdgCacheHome: string | undefined): string {
  const base = xdgCacheHome?.startsWith('/') ? xdgCacheHome : join(home, '.cache');
  return join(base, 'hawser', 'lisp');
}
