import { NoSuchFile, readRegularFile } from '../regular-file.ts';

/**
 * What a file holds, to compare a proposal with; undefined when there is no such file. Agents speak of files with LF
 * alone and restore CRLF themselves, so that is how they are compared, unless the proposal says otherwise.
 */
export async function readOldText(path: string, newText: string): Promise<string | undefined> {
  let text: string;
  try {
    text = (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    if (error instanceof NoSuchFile) return undefined;
    throw error;
  }
  const plain = text.replace(/^\ufeff/, '');
  return newText.includes('\r\n') ? plain : plain.replaceAll('\r\n', '\n');
}
