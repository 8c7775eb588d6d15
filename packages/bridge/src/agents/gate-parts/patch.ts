import type { AcceptedFile, CallSource, EditsCall, FileEdit } from '../../gate.ts';

/** One place of a file that a patch changes. */
interface Hunk {
  /** A line that comes before it, such as the head of a function. */
  readonly after: string | undefined;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly isAtEnd: boolean;
}

/** What a patch in Codex's own format does to each file. Throws an Error if it is not one. */
export function parsePatch(patch: string): readonly FileEdit[] {
  const lines = patch.trim().split('\n');
  if (lines.shift()?.trim() !== '*** Begin Patch') throw new Error('The patch does not begin with *** Begin Patch');
  if (lines.pop()?.trim() !== '*** End Patch') throw new Error('The patch does not end with *** End Patch');
  const edits: FileEdit[] = [];
  while (lines.length > 0) {
    const [, action, path = ''] = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/.exec(lines.shift() ?? '') ?? [];
    if (action === undefined) throw new Error('The patch has a line outside of its files');
    const end = lines.findIndex((line) => /^\*\*\* (Add|Update|Delete) File: /.test(line));
    const body = lines.splice(0, end === -1 ? lines.length : end);
    edits.push(editOf(action, path, body));
  }
  if (edits.length === 0) throw new Error('The patch changes no file');
  return edits;
}

/** The call of a tool that applies a patch. */
export function patchCall(source: CallSource, patch: string): EditsCall {
  const edits = parsePatch(patch);
  const [first] = edits;
  const title = edits.length === 1 && first !== undefined ? first.path : `Patch of ${edits.length} files`;
  return { ...source, kind: 'edits', title, edits };
}

/** Replaces each file as a whole, so that nothing depends on how the agent finds the lines. */
export function wholePatch(files: readonly AcceptedFile[]): string {
  const parts = files.flatMap(({ edit: { path, movedFrom }, oldText, text }) => {
    if (text === undefined) return [`*** Delete File: ${path}`];
    if (oldText === undefined) return [`*** Add File: ${path}`, ...linesOf(text).map((line) => `+${line}`)];
    const moved = movedFrom === undefined ? [] : [`*** Move to: ${path}`];
    const changed = [...linesOf(oldText).map((line) => `-${line}`), ...linesOf(text).map((line) => `+${line}`)];
    return [`*** Update File: ${movedFrom ?? path}`, ...moved, '@@', ...changed, '*** End of File'];
  });
  return ['*** Begin Patch', ...parts, '*** End Patch', ''].join('\n');
}

function editOf(action: string, path: string, body: readonly string[]): FileEdit {
  if (action === 'Delete') return { path, apply: () => ({ kind: 'deleted' }) };
  if (action === 'Add') {
    const added = body.map((line) => {
      if (!line.startsWith('+')) throw new Error(`A line of the new file ${path} does not begin with +`);
      return `${line.slice(1)}\n`;
    });
    return { path, apply: () => added.join('') };
  }
  const [, target] = /^\*\*\* Move to: (.+?)\s*$/.exec(body[0] ?? '') ?? [];
  const hunks = hunksIn(target === undefined ? body : body.slice(1), path);
  const apply = (oldText: string | undefined) =>
    oldText === undefined ? new Error(`There is no file ${path}`) : applied(oldText, hunks);
  return target === undefined ? { path, apply } : { path: target, movedFrom: path, apply };
}

function hunksIn(body: readonly string[], path: string): readonly Hunk[] {
  const hunks: { after: string | undefined; from: string[]; to: string[]; isAtEnd: boolean }[] = [];
  for (const line of body) {
    const last = hunks.at(-1);
    if (line.startsWith('@@')) {
      hunks.push({ after: line.slice(2).trim() || undefined, from: [], to: [], isAtEnd: false });
    } else if (line.trim() === '*** End of File') {
      if (last !== undefined) last.isAtEnd = true;
    } else {
      const hunk = last ?? { after: undefined, from: [], to: [], isAtEnd: false };
      if (last === undefined) hunks.push(hunk);
      const [sign, text] = line === '' ? [' ', ''] : [line[0], line.slice(1)];
      if (sign !== ' ' && sign !== '-' && sign !== '+') throw new Error(`A line of the patch of ${path} has no sign`);
      if (sign !== '+') hunk.from.push(text);
      if (sign !== '-') hunk.to.push(text);
    }
  }
  return hunks;
}

/** The text with the hunks, each found after the one before. An Error if one is nowhere. */
function applied(oldText: string, hunks: readonly Hunk[]): string | Error {
  const lines = linesOf(oldText);
  let place = 0;
  for (const { after, from, to, isAtEnd } of hunks) {
    if (after !== undefined) {
      const head = find(lines, [after], place);
      if (head === undefined) return new Error(`The line ${after} is not in the file`);
      place = head + 1;
    }
    const found = from.length === 0 ? lines.length : find(lines, from, isAtEnd ? lines.length - from.length : place);
    if (found === undefined) return new Error('Lines of the patch are not in the file');
    lines.splice(found, from.length, ...to);
    place = found + to.length;
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** Where the lines are, exactly if possible, else without the spaces around them: Codex looks for them in that order. */
function find(lines: readonly string[], wanted: readonly string[], from: number): number | undefined {
  const ways = [(line: string) => line, (line: string) => line.trimEnd(), (line: string) => line.trim()];
  for (const read of ways) {
    for (let place = Math.max(0, from); place + wanted.length <= lines.length; place++) {
      if (wanted.every((line, index) => read(line) === read(lines[place + index] ?? ''))) return place;
    }
  }
  return undefined;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
