/**
 * Finds what two slices have in common. Its arrays are made once, for all slices of one comparison, so an answer holds
 * until the next question.
 */
export class LineCounter {
  readonly #oldCounts: Int32Array;
  readonly #newCounts: Int32Array;
  readonly #newPlaces: Int32Array;
  readonly #old: Int32Array;
  readonly #new: Int32Array;
  readonly #tops: Int32Array;
  readonly #topPlaces: Int32Array;
  readonly #before: Int32Array;

  constructor(idCount: number, mostLines: number) {
    this.#oldCounts = new Int32Array(idCount);
    this.#newCounts = new Int32Array(idCount);
    this.#newPlaces = new Int32Array(idCount);
    this.#old = new Int32Array(mostLines);
    this.#new = new Int32Array(mostLines);
    this.#tops = new Int32Array(mostLines);
    this.#topPlaces = new Int32Array(mostLines);
    this.#before = new Int32Array(mostLines);
  }

  /** The longest run of lines that are unique on both sides and in the same order there. */
  anchors(oldLines: Int32Array, newLines: Int32Array): Places {
    this.#count(oldLines, newLines);
    let count = 0;
    for (let line = 0; line < oldLines.length; line += 1) {
      const id = oldLines[line] ?? 0;
      if (this.#oldCounts[id] !== 1 || this.#newCounts[id] !== 1) continue;
      this.#old[count] = line;
      this.#new[count] = this.#newPlaces[id] ?? 0;
      count += 1;
    }
    this.#clear(oldLines, newLines);
    return this.#places(this.#keepAscending(count));
  }

  /** The lines that occur on the other side, too. */
  shared(oldLines: Int32Array, newLines: Int32Array): Places {
    this.#count(oldLines, newLines);
    const oldCount = placesOfCounted(oldLines, this.#newCounts, this.#old);
    const newCount = placesOfCounted(newLines, this.#oldCounts, this.#new);
    this.#clear(oldLines, newLines);
    return this.#places(oldCount, newCount);
  }

  #places(oldCount: number, newCount = oldCount): Places {
    return { old: this.#old, oldCount, new: this.#new, newCount };
  }

  /** Keeps the longest choice of pairs whose new places ascend (patience sorting); the old places ascend already. */
  #keepAscending(pairCount: number): number {
    const [places, tops, before, topPlaces] = [this.#new, this.#tops, this.#before, this.#topPlaces];
    if (isAscending(places, pairCount)) return pairCount;
    let count = 0;
    for (let pair = 0; pair < pairCount; pair += 1) {
      const place = places[pair] ?? 0;
      let low = 0;
      let high = count;
      // Most have not moved, and go on a new pile.
      if (count > 0 && (topPlaces[count - 1] ?? 0) < place) low = count;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((topPlaces[middle] ?? 0) < place) low = middle + 1;
        else high = middle;
      }
      before[pair] = low === 0 ? -1 : (tops[low - 1] ?? -1);
      tops[low] = pair;
      topPlaces[low] = place;
      if (low === count) count += 1;
    }
    // From the last chosen pair back to the first, then forward again so that nothing is overwritten before it is read.
    for (let at = count - 1, pair = tops[count - 1] ?? -1; at >= 0; at -= 1, pair = before[pair] ?? -1) tops[at] = pair;
    for (let at = 0; at < count; at += 1) {
      this.#old[at] = this.#old[tops[at] ?? 0] ?? 0;
      places[at] = places[tops[at] ?? 0] ?? 0;
    }
    return count;
  }

  #count(oldLines: Int32Array, newLines: Int32Array): void {
    for (let line = 0; line < oldLines.length; line += 1) {
      const id = oldLines[line] ?? 0;
      this.#oldCounts[id] = (this.#oldCounts[id] ?? 0) + 1;
    }
    for (let line = 0; line < newLines.length; line += 1) {
      const id = newLines[line] ?? 0;
      this.#newCounts[id] = (this.#newCounts[id] ?? 0) + 1;
      this.#newPlaces[id] = line;
    }
  }

  #clear(oldLines: Int32Array, newLines: Int32Array): void {
    for (let line = 0; line < oldLines.length; line += 1) this.#oldCounts[oldLines[line] ?? 0] = 0;
    for (let line = 0; line < newLines.length; line += 1) this.#newCounts[newLines[line] ?? 0] = 0;
  }
}

/** Indexes of lines in an old and in a new slice; only the first `count` are valid. */
export interface Places {
  readonly old: Int32Array;
  readonly oldCount: number;
  readonly new: Int32Array;
  readonly newCount: number;
}

/** Mostly nothing has moved. */
function isAscending(places: Int32Array, count: number): boolean {
  for (let at = 1; at < count; at += 1) if ((places[at] ?? 0) < (places[at - 1] ?? 0)) return false;
  return true;
}

function placesOfCounted(lines: Int32Array, counts: Int32Array, places: Int32Array): number {
  let count = 0;
  for (let line = 0; line < lines.length; line += 1) {
    if (counts[lines[line] ?? 0] !== 0) places[count++] = line;
  }
  return count;
}
