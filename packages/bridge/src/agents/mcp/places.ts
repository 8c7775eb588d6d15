import { isAbsolute, relative, sep } from 'node:path';
import type { SharedEditor } from '../../access/shared-editor.ts';
import { textOnDisk } from '../../comparable-text.ts';
import type { Position, Range } from '../../editor.ts';
import type { PlaceArguments } from './schemas.ts';

/** As models read it: relative to the workspace if it is in its first folder. */
export function shortPath(path: string, { folders }: SharedEditor): string {
  const short = relative(folders[0] ?? '', path);
  const isInside = folders[0] !== undefined && short !== '' && short.split(sep)[0] !== '..' && !isAbsolute(short);
  return isInside ? short : path;
}

/** Lines as language servers count them. */
function splitLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** The file and position that a model names. Rejects if there is no such place. */
export async function placeOf(
  { path, symbol, line, column }: PlaceArguments,
  editor: SharedEditor,
): Promise<{ readonly path: string; readonly position: Position; readonly name: string | undefined }> {
  const real = await editor.resolve(path, { for: 'read' });
  if (symbol === undefined || symbol === '') {
    if (line === undefined || column === undefined) throw new Error('Give symbol, or line and column');
    return { path: real, position: { line: line - 1, character: column - 1 }, name: undefined };
  }
  await requireSaved(real, editor);
  const text = await textOnDisk(real);
  if (text === undefined) throw new Error(`No such file: ${path}`);
  const lines = splitLines(text);
  const candidates = line === undefined ? lines.keys() : [line - 1];
  for (const candidate of candidates) {
    const character = indexOfName(lines[candidate] ?? '', symbol);
    if (character !== -1) return { path: real, position: { line: candidate, character }, name: symbol };
  }
  const where = line === undefined ? '' : ` in line ${line}, which is: ${lines[line - 1] ?? '(past the end)'}`;
  throw new Error(`${symbol} is not in ${path}${where}`);
}

/** Rejects if the document has unsaved text: files are read from disk, and the model has read them there. */
export async function requireSaved(path: string, editor: SharedEditor): Promise<void> {
  const isDirty = (await editor.openDocuments()).some((each) => each.path === path && each.isDirty);
  if (!isDirty) return;
  throw new Error(
    `${shortPath(path, editor)} has unsaved changes in the editor. Ask the user to save or discard them, or call save_file`,
  );
}

/** Not within a longer name. */
function indexOfName(line: string, name: string): number {
  const isPart = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + 1)) {
    const [before, after] = [line[at - 1], line[at + name.length]];
    const isInside = (isPart(before) && isPart(name[0])) || (isPart(after) && isPart(name.at(-1)));
    if (!isInside) return at;
  }
  return -1;
}

/** The range of whole lines; both count from 1 and are included. */
export function linesRange(first: number, last = first): Range {
  return { start: { line: first - 1, character: 0 }, end: { line: Math.max(first, last), character: 0 } };
}

/** The lines of files, each read once. */
export class LineReader {
  readonly #lines = new Map<string, Promise<readonly string[]>>();

  async line(path: string, line: number): Promise<string> {
    const lines =
      this.#lines.get(path) ??
      textOnDisk(path).then(
        (text = '') => splitLines(text),
        () => [],
      );
    this.#lines.set(path, lines);
    return ((await lines)[line] ?? '').trim().slice(0, MAX_LINE);
  }
}

const MAX_LINE = 200;
