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
 * whoever relies on it must look at the lines themselves: see `keepEqual`.
 */
export function lineIds(oldPart: TextLines, newPart: TextLines): LineIds {
  const table = new HashTable(oldPart.to - oldPart.from + newPart.to - newPart.from);
  const old = idsIn(oldPart, table);
  return { old, new: idsIn(newPart, table), count: table.count };
}

function idsIn({ text, lines: { starts }, from, to }: TextLines, table: HashTable): Int32Array {
  const ids = new Int32Array(to - from);
  const first = starts[from] ?? 0;
  const view = bytesOf(text, first, starts[to] ?? 0);
  let start = 0;
  for (let at = 0; at < ids.length; at += 1) {
    const end = (starts[from + at + 1] ?? 0) - first;
    ids[at] = table.idOf(view, start, end);
    start = end;
  }
  return ids;
}

/**
 * A byte per character, its lower one, so that places in the text are places in the bytes. Several bytes are read at
 * once, where a text gives its characters one by one, each many times slower.
 */
function bytesOf(text: string, start: number, end: number): DataView {
  const bytes = Buffer.from(text.slice(start, end), 'latin1');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Not a Map from strings: making a string of each line would cost more than the rest of a comparison. */
class HashTable {
  count = 0;
  readonly #mask: number;
  /** At a line's first hash, or after it: its id plus 1, or 0 where nothing is, and beside it its second hash. */
  readonly #places: Int32Array;

  constructor(mostLines: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * mostLines + 2));
    this.#mask = size - 1;
    this.#places = new Int32Array(2 * size);
  }

  idOf(view: DataView, start: number, end: number): number {
    // Two hashes that have little to do with each other, so that accidents do not happen.
    let one = end - start;
    let two = ~one;
    let at = start;
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
    two = Math.imul(two + rest, 0xc2b2ae35);
    return this.#find(one ^ (one >>> 16), two);
  }

  #find(one: number, two: number): number {
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
