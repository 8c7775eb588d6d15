import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';

/** The largest file that is read for an agent or opened in an editor, unless the caller says otherwise. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;

/**
 * Reads a regular file. Never blocks: a pipe, device, socket or directory is refused, also if it takes the file's place
 * at the last moment. Rejects with an error for the user.
 */
export async function readRegularFile(path: string, maxBytes = MAX_FILE_BYTES): Promise<Buffer> {
  // Opening a device can have effects, so look first.
  await checkRegularFile(path, maxBytes);
  return await reads.run(() => openAndRead(path, maxBytes));
}

/** Runs work at most `places` times at once; the rest waits in order. */
class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

// Half of the four threads that a process has for file access. Each file is held in memory while it is read, and a file
// system that hangs must not occupy all threads.
const reads = new Slots(2);

async function openAndRead(path: string, maxBytes: number): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe waits for a writer and occupies one of the few threads for file access.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(readably(path));
  try {
    const found = await file.stat();
    refuse(path, found, maxBytes);
    return await readUpTo(file, path, found.size, maxBytes);
  } finally {
    await file.close();
  }
}

/** Rejects, saying why, for what `readRegularFile` would not read. */
export async function checkRegularFile(path: string, maxBytes = MAX_FILE_BYTES): Promise<void> {
  const found = await statIfAny(path);
  if (found === undefined) throw new NoSuchFile(path);
  refuse(path, found, maxBytes);
}

export class NoSuchFile extends Error {
  override readonly name = 'NoSuchFile';

  constructor(path: string) {
    super(`No such file: ${path}`);
  }
}

/** Undefined if there is nothing at the path. */
export async function statIfAny(path: string): Promise<Stats | undefined> {
  return await stat(path).catch((error: unknown) => {
    if (isNoEntry(error)) return undefined;
    throw error;
  });
}

export function isNoEntry(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function refuse(path: string, found: Stats, maxBytes: number): void {
  if (!found.isFile()) throw new Error(`Not a regular file: ${path} is ${kindOf(found)}`);
  if (found.size > maxBytes) throw tooLarge(path, maxBytes);
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a directory';
  if (found.isFIFO()) return 'a named pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}

function tooLarge(path: string, maxBytes: number): Error {
  return new Error(`Too large: ${path} has more than ${maxBytes} bytes, which is the limit`);
}

/** The file may grow while it is read, and files of /proc claim to be empty. */
async function readUpTo(file: FileHandle, path: string, size: number, maxBytes: number): Promise<Buffer> {
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(path, maxBytes);
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length + 4096, maxBytes + 1));
  }
}

function readably(path: string) {
  return (error: NodeJS.ErrnoException): never => {
    if (isNoEntry(error)) throw new NoSuchFile(path);
    if (error.code === 'EACCES') throw new Error(`No permission to read ${path}`, { cause: error });
    throw error;
  };
}
