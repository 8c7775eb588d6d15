import type { Lines } from './lines.ts';

/** Lines of a text, from one line up to, not including, another. */
export interface TextLines {
  readonly text: string;
  readonly lines: Lines;
  readonly from: number;
  readonly to: number;
}

export interface LineIds {
  readonly old: Int32Array;
  readonly new: Int32Array;
  /** All ids are less than this. */
  readonly count: number;
}

/** Numbers lines so that equal lines, and no others, have equal numbers. */
export function lineIds(oldPart: TextLines, newPart: TextLines): LineIds {
  const table = new LineTable(oldPart.to - oldPart.from + newPart.to - newPart.from);
  const old = new Int32Array(oldPart.to - oldPart.from);
  for (let at = 0; at < old.length; at += 1) old[at] = table.idOf(oldPart, oldPart.from + at);
  // The first so many ids were given to old lines, so this tells where to find them.
  const oldIdCount = table.count;

  const ids = new Int32Array(newPart.to - newPart.from);
  let guess = 0;
  for (let at = 0; at < ids.length; ) {
    // Most new lines follow one another as they did in the old text, and whole stretches are compared much faster.
    const same = sameLines(oldPart, oldPart.from + guess, newPart, newPart.from + at);
    ids.set(old.subarray(guess, guess + same), at);
    at += same;
    guess += same;
    if (at === ids.length) break;
    const id = table.idOf(newPart, newPart.from + at);
    ids[at] = id;
    at += 1;
    guess = id < oldIdCount ? table.firstLineOf(id) - oldPart.from + 1 : guess + 1;
  }
  return { old, new: ids, count: table.count };
}

/** How many lines from here on are the same in both parts. */
function sameLines(oldPart: TextLines, oldLine: number, newPart: TextLines, newLine: number): number {
  const most = Math.min(oldPart.to - oldLine, newPart.to - newLine);
  let same = 0;
  let step = 1;
  let isGrowing = true;
  while (step > 0) {
    if (same + step <= most && areSame(oldPart, oldLine + same, newPart, newLine + same, step)) {
      same += step;
      if (isGrowing) step *= 2;
    } else {
      isGrowing = false;
      step >>= 1;
    }
  }
  return same;
}

function areSame(oldPart: TextLines, oldLine: number, newPart: TextLines, newLine: number, count: number): boolean {
  const oldStart = oldPart.lines.starts[oldLine] ?? 0;
  const newStart = newPart.lines.starts[newLine] ?? 0;
  const oldEnd = oldPart.lines.starts[oldLine + count] ?? 0;
  const length = (newPart.lines.starts[newLine + count] ?? 0) - newStart;
  if (oldEnd - oldStart !== length) return false;
  // Slices are compared as memory, but each is an object.
  if (length > 100) return oldPart.text.slice(oldStart, oldEnd) === newPart.text.slice(newStart, newStart + length);
  const { text: oldText } = oldPart;
  const { text: newText } = newPart;
  for (let at = 0; at < length; at += 1) {
    if (oldText.charCodeAt(oldStart + at) !== newText.charCodeAt(newStart + at)) return false;
  }
  return true;
}

/** Not a Map from strings: making a string of each line would cost more than the rest of a comparison. */
class LineTable {
  count = 0;
  readonly #mask: number;
  /** By hash, the id of a line plus 1; 0 is a free place. */
  readonly #places: Int32Array;
  readonly #hashes: Int32Array;
  readonly #firstLines: Int32Array;
  readonly #firstParts: TextLines[] = [];

  constructor(mostLines: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * mostLines + 2));
    this.#mask = size - 1;
    this.#places = new Int32Array(size);
    this.#hashes = new Int32Array(mostLines);
    this.#firstLines = new Int32Array(mostLines);
  }

  firstLineOf(id: number): number {
    return this.#firstLines[id] ?? 0;
  }

  idOf(part: TextLines, line: number): number {
    const hash = hashOf(part.text, part.lines.starts[line] ?? 0, part.lines.starts[line + 1] ?? 0);
    for (let place = hash & this.#mask; ; place = (place + 1) & this.#mask) {
      const id = (this.#places[place] ?? 0) - 1;
      if (id === -1) {
        this.#hashes[this.count] = hash;
        this.#firstLines[this.count] = line;
        this.#firstParts.push(part);
        this.count += 1;
        this.#places[place] = this.count;
        return this.count - 1;
      }
      const firstPart = this.#firstParts[id];
      if (this.#hashes[id] !== hash || firstPart === undefined) continue;
      if (areSame(firstPart, this.#firstLines[id] ?? 0, part, line, 1)) return id;
    }
  }
}

function hashOf(text: string, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  // Two at a time, because each multiplication waits for the one before it.
  for (; at < end - 1; at += 2) {
    hash = Math.imul(hash ^ text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 16), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  if (at < end) hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}
