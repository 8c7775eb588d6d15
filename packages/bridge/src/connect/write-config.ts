import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configured } from './config-change.ts';
import { ConfigRefused } from './config-refused.ts';
import type { ConfigFile } from './guide.ts';

const MAX_BYTES = 4 * 1024 * 1024;

export interface ConfigChange {
  /** Undefined if there is no such file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What the file contains and what it should contain. Throws a ConfigRefused. */
export function readChange(file: ConfigFile): ConfigChange {
  const before = readText(file.path);
  return { before, after: configured(before, file) };
}

/**
 * Writes the change in one step, keeping the file's mode and the link that leads to it; without a text it removes the
 * file. Throws a ConfigRefused if the file has changed since it was read.
 */
export function writeChange(
  path: string,
  { before, after }: Pick<ConfigChange, 'before'> & { readonly after: string | undefined },
): void {
  if (after === undefined) {
    if (readText(path) !== before) throw new ConfigRefused('it has changed meanwhile; try again');
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  const target = before === undefined ? path : realpathSync(path);
  const temporary = join(dirname(target), `.hawser-${randomUUID()}.tmp`);
  try {
    const mode = before === undefined ? 0o644 : statSync(target).mode & 0o777;
    writeFileSync(temporary, after, { flag: 'wx', mode });
    if (readText(target) !== before) throw new ConfigRefused('it has changed meanwhile; try again');
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Undefined if there is no such file. Throws a ConfigRefused if it is no text or can't be read. */
export function readText(path: string): string | undefined {
  const bytes = readBytes(path);
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new ConfigRefused('it is not UTF-8 text');
  return text;
}

function readBytes(path: string): Buffer | undefined {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw new ConfigRefused('it is not a regular file');
    if (stat.size > MAX_BYTES) throw new ConfigRefused(`it is larger than ${MAX_BYTES} bytes`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof ConfigRefused) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigRefused(`it can't be read: ${message}`);
  }
}
