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

/**
 * Numbers lines so that equal lines have equal numbers. Different ones very nearly always have different numbers, but
 * a caller must compare the lines themselves: see `keepEqual`.
 */
export function lineIds(oldPart: TextLines, newPart: TextLines): LineIds {
  const oldHashes = hashesOf(oldPart);
  const newHashes = hashesOf(newPart);
  const table = new HashTable((oldHashes.length + newHashes.length) / 2);
  const old = new Int32Array(oldHashes.length / 2);
  const firstLines = new Int32Array(old.length);
  for (let line = 0; line < old.length; line += 1) {
    const known = table.count;
    const id = table.idOf(oldHashes[2 * line] ?? 0, oldHashes[2 * line + 1] ?? 0);
    old[line] = id;
    if (id === known) firstLines[id] = line;
  }
  // The first ids were given to old lines.
  const oldIdCount = table.count;

  const ids = new Int32Array(newHashes.length / 2);
  let guess = 0;
  for (let line = 0; line < ids.length; line += 1) {
    const one = newHashes[2 * line] ?? 0;
    const two = newHashes[2 * line + 1] ?? 0;
    // Most new lines follow one another as they did in the old text, and a hash table is slow: its memory is scattered.
    if (guess < old.length && oldHashes[2 * guess] === one && oldHashes[2 * guess + 1] === two) {
      ids[line] = old[guess] ?? 0;
    } else {
      const id = table.idOf(one, two);
      ids[line] = id;
      if (id < oldIdCount) guess = firstLines[id] ?? 0;
    }
    guess += 1;
  }
  return { old, new: ids, count: table.count };
}

/** Two independent 32-bit hashes of each line, so that different lines hardly ever look equal. */
function hashesOf({ text, lines: { starts }, from, to }: TextLines): Int32Array {
  const hashes = new Int32Array(2 * (to - from));
  const first = starts[from] ?? 0;
  const view = bytesOf(text, first, starts[to] ?? 0);
  let at = 0;
  for (let line = 0; line < to - from; line += 1) {
    const end = (starts[from + line + 1] ?? 0) - first;
    let one = end - at;
    let two = ~one;
    for (; at <= end - 4; at += 4) {
      const word = view.getInt32(at, true);
      one = Math.imul(one ^ word, 0x9e3779b1);
      one ^= one >>> 15;
      two = Math.imul(two + word, 0x85ebca6b);
      two ^= two >>> 13;
    }
    let rest = 0;
    for (; at < end; at += 1) rest = (rest << 8) | view.getUint8(at);
    one = Math.imul(one ^ rest, 0x9e3779b1);
    hashes[2 * line] = one ^ (one >>> 16);
    hashes[2 * line + 1] = Math.imul(two + rest, 0xc2b2ae35);
  }
  return hashes;
}

/**
 * A byte per character, its lower one, so that places in the text are places in the bytes. Several bytes are read at
 * once, where a text gives its characters one by one, each many times slower.
 */
function bytesOf(text: string, start: number, end: number): DataView {
  // Browsers have none; Node copies a text several times faster with it.
  const bytes = 'Buffer' in globalThis ? Buffer.from(text.slice(start, end), 'latin1') : lowerBytes(text, start, end);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function lowerBytes(text: string, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  for (let at = start; at < end; at += 1) bytes[at - start] = text.charCodeAt(at);
  return bytes;
}

/** Not a Map from strings: making a string of each line would cost more than the rest of a comparison. */
class HashTable {
  /** Of ids. */
  count = 0;
  readonly #mask: number;
  /** At a line's first hash, or after it: its id plus 1, or 0 where nothing is, and beside it its second hash. */
  readonly #places: Int32Array;

  constructor(mostLines: number) {
    // Lines are mostly on both sides, so that half of it stays free; if not, it still has room.
    const size = 2 ** Math.ceil(Math.log2(1.25 * mostLines + 2));
    this.#mask = size - 1;
    this.#places = new Int32Array(2 * size);
  }

  /** The id of a line, a new one if it was never seen. */
  idOf(one: number, two: number): number {
    const places = this.#places;
    for (let place = one & this.#mask; ; place = (place + 1) & this.#mask) {
      const id = places[2 * place] ?? 0;
      if (id === 0) {
        places[2 * place] = this.count + 1;
        places[2 * place + 1] = two;
        this.count += 1;
        return this.count - 1;
      }
      if (places[2 * place + 1] === two) return id - 1;
    }
  }
}
