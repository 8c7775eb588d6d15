import { decode } from './encoding.ts';
import { NoSuchFile, readRegularFile } from './regular-file.ts';

/** The text of a file exactly, without a byte order mark; undefined when there is no such file. */
export async function textOnDisk(path: string): Promise<string | undefined> {
  try {
    return decode(await readRegularFile(path)).text;
  } catch (error) {
    if (error instanceof NoSuchFile) return undefined;
    throw error;
  }
}

/** Whether texts are compared exactly, or as agents speak of files: with LF alone, whatever the file has. */
export type LineEnds = 'exact' | 'kept';

/** An agent that writes CRLF means what it writes. Others restore the line ends of the file themselves. */
export function lineEndsOf(newText: string): LineEnds {
  return newText.includes('\r\n') ? 'exact' : 'kept';
}

/** The text of a file, as it is compared with a proposal. */
export function comparable<Text extends string | undefined>(text: Text, lineEnds: LineEnds): Text {
  return (lineEnds === 'exact' ? text : text?.replaceAll('\r\n', '\n')) as Text;
}

/** What a file holds, to compare a proposal with; undefined when there is no such file. */
export async function readOldText(path: string, newText: string): Promise<string | undefined> {
  return comparable(await textOnDisk(path), lineEndsOf(newText));
}
