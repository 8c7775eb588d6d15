import { decode } from '../encoding.ts';
import { NoSuchFile, readRegularFile } from '../regular-file.ts';

/** The text of a file exactly, without a byte order mark; undefined when there is no such file. */
export async function readFileText(path: string): Promise<string | undefined> {
  try {
    return decode(await readRegularFile(path)).text;
  } catch (error) {
    if (error instanceof NoSuchFile) return undefined;
    throw error;
  }
}

/**
 * What a file holds, to compare a proposal with; undefined when there is no such file. Agents speak of files with LF
 * alone and restore CRLF themselves, so that is how they are compared, unless the proposal says otherwise.
 */
export async function readOldText(path: string, newText: string): Promise<string | undefined> {
  const text = await readFileText(path);
  return newText.includes('\r\n') ? text : text?.replaceAll('\r\n', '\n');
}
