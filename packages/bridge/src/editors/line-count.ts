import { readRegularFile } from '../regular-file.ts';

/** Larger files are not read only to count their lines. */
const MAX_COUNTED_BYTES = 8 * 1024 * 1024;

/** The lines of a file on disk, with the empty one after a final line end; 0 if it can't be read or is very large. */
export async function lineCountOf(path: string): Promise<number> {
  return await readRegularFile(path, MAX_COUNTED_BYTES).then(
    (bytes) => bytes.toString('utf8').split(/\r\n|\n/).length,
    () => 0,
  );
}
