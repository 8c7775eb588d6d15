import { applyHunks, type Hunk, type LineRange } from '@hawser/diffs/hunks';
import { splitHunk } from '@hawser/diffs/split-hunk';
import type { HunkMark } from '../proposal.ts';

export type Mark = 'yes' | 'no';

/** Hunks, as the user has split them, and what the user thinks of each. */
interface Choices {
  readonly hunks: readonly Hunk[];
  readonly marks: readonly (Mark | undefined)[];
}

/** How many marks and splits can be taken back. */
const MAX_UNDO = 100;

/** What the user makes of the hunks of one change. */
export class HunkChoices {
  /** The hunks as they were found, with the marks of an earlier round. */
  readonly #found: Choices;
  #now: Choices;
  /** Earlier choices, for undo. */
  #past: readonly Choices[] = [];

  constructor(hunks: readonly Hunk[], marks: readonly HunkMark[] = []) {
    this.#found = { hunks, marks: hunks.map((_, index) => MARKS[marks[index] ?? 'undecided']) };
    this.#now = this.#found;
  }

  get hunks(): readonly Hunk[] {
    return this.#now.hunks;
  }

  get marks(): readonly (Mark | undefined)[] {
    return this.#now.marks;
  }

  count(mark: Mark | undefined): number {
    return this.marks.filter((each) => each === mark).length;
  }

  /** True if the user has marked or split something since they were found. */
  get isTouched(): boolean {
    return this.#now !== this.#found;
  }

  mark(indexes: readonly number[], mark: Mark): void {
    const { hunks, marks } = this.#now;
    if (indexes.every((index) => marks[index] === mark)) return;
    this.#choose({ hunks, marks: marks.map((each, index) => (indexes.includes(index) ? mark : each)) });
  }

  /** Makes two hunks of one; both keep its mark. False if it can't be split there. */
  split(hunk: number, lines: number): boolean {
    const { hunks, marks } = this.#now;
    const whole = hunks[hunk];
    const parts = whole === undefined ? undefined : splitHunk(whole, lines);
    if (parts === undefined) return false;
    this.#choose({
      hunks: hunks.flatMap((each, index) => (index === hunk ? parts : [each])),
      marks: marks.flatMap((each, index) => (index === hunk ? [each, each] : [each])),
    });
    return true;
  }

  /** Takes the last mark or split back. Undefined if there is none; else the hunk whose mark has changed, or a split. */
  undo(): number | 'split' | undefined {
    const before = this.#past.at(-1);
    if (before === undefined) return undefined;
    const { hunks, marks } = this.#now;
    this.#past = this.#past.slice(0, -1);
    this.#now = before;
    if (before.hunks.length !== hunks.length) return 'split';
    return before.marks.findIndex((mark, index) => mark !== marks[index]);
  }

  clear(): void {
    this.#past = [];
    this.#now = { hunks: this.#found.hunks, marks: this.#found.hunks.map(() => undefined) };
  }

  /** The old text with the hunks that are accepted. */
  apply(oldText: string, isAccepted: (mark: Mark | undefined) => boolean): string {
    const { hunks, marks } = this.#now;
    return applyHunks(oldText, hunks, new Set([...hunks.keys()].filter((hunk) => isAccepted(marks[hunk]))));
  }

  /** What the user thinks of the hunks as they were found: of one that was split, what they think of all its parts. */
  marksAsFound(): readonly HunkMark[] {
    return this.#found.hunks.map(({ oldLines, newLines }) => {
      const { hunks, marks } = this.#now;
      const parts = marks.filter((_, index) => {
        const part = hunks[index];
        return part !== undefined && isWithin(part.oldLines, oldLines) && isWithin(part.newLines, newLines);
      });
      const [first] = parts;
      if (first === undefined || parts.some((mark) => mark !== first)) return 'undecided';
      return first === 'yes' ? 'accepted' : 'rejected';
    });
  }

  #choose(choices: Choices): void {
    this.#past = [...this.#past.slice(-MAX_UNDO), this.#now];
    this.#now = choices;
  }
}

const MARKS: { readonly [mark in HunkMark]: Mark | undefined } = {
  accepted: 'yes',
  rejected: 'no',
  undecided: undefined,
};

function isWithin(part: LineRange, whole: LineRange): boolean {
  return part.first >= whole.first && part.first + part.count <= whole.first + whole.count;
}
