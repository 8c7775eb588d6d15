import { isAbsolute, resolve } from 'node:path';

/** Throws for a relative path: an editor has no current folder. */
export function absolute(path: string): string {
  if (!isAbsolute(path)) throw new Error(`Not an absolute path: ${path}`);
  return resolve(path);
}
