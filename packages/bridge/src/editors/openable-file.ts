import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';

/** Throws for a path that depends on where somebody stands. */
export function absolute(path: string): string {
  if (!isAbsolute(path)) throw new Error(`Not an absolute path: ${path}`);
  return resolve(path);
}

/** Rejects, saying why, for what an editor does not open as text. It is looked at, not opened: a pipe would wait. */
export async function refuseUnopenable(path: string, maxBytes: number): Promise<void> {
  const found = await statIfAny(path);
  if (found === undefined) throw new Error(`No such file: ${path}`);
  if (found.isDirectory()) throw new Error(`Is a directory: ${path}`);
  if (!found.isFile()) throw new Error(`Not a file: ${path}`);
  if (found.size > maxBytes) throw new Error(`Larger than the limit of ${maxBytes} bytes: ${path}`);
}

/** Undefined when there is nothing. */
export async function statIfAny(path: string): Promise<Stats | undefined> {
  return await stat(path).catch((error: unknown) => {
    if (isNoEntry(error)) return undefined;
    throw error;
  });
}

export function isNoEntry(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
