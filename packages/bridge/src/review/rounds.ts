import { hunksOfChange } from '@hawser/diffs/accept';
import { carryChoices } from '@hawser/diffs/carry-choices';
import type { Hunk, LineRange } from '@hawser/diffs/hunks';
import type { HunkMark, Note, PreviousRound, Proposal } from './proposal.ts';

/** How many files of one agent have an earlier round that is remembered, and how many characters their texts have. */
const MAX_FILES = 64;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** What each agent proposed before the user asked for changes, by file. */
export class Rounds {
  readonly #rounds = new WeakMap<object, Map<string, PreviousRound>>();

  /** The round before a new proposal of this owner for this file. */
  before(owner: object, path: string): PreviousRound | undefined {
    return this.#rounds.get(owner)?.get(path);
  }

  remember(owner: object, proposal: Proposal, notes: readonly Note[], marks: readonly HunkMark[]): void {
    const { path, oldText, newText, previous } = proposal;
    const rounds = this.#rounds.get(owner) ?? new Map<string, PreviousRound>();
    this.#rounds.set(owner, rounds);
    // Last in the order in which they are forgotten.
    rounds.delete(path);
    rounds.set(path, { round: (previous?.round ?? 0) + 1, oldText, newText, notes, marks });
    let characters = [...rounds.values()].reduce((sum, each) => sum + charactersOf(each), 0);
    for (const [oldest, round] of rounds) {
      if (rounds.size <= MAX_FILES && characters <= MAX_CHARACTERS) break;
      rounds.delete(oldest);
      characters -= charactersOf(round);
    }
  }

  forget(owner: object, path: string): void {
    this.#rounds.get(owner)?.delete(path);
  }
}

function charactersOf({ oldText = '', newText }: PreviousRound): number {
  return oldText.length + newText.length;
}

/** What the user had decided on these hunks in the round before, where they change the same lines to the same text. */
export function marksFromBefore(previous: PreviousRound | undefined, hunks: readonly Hunk[]): readonly HunkMark[] {
  if (previous === undefined) return [];
  const choices = previous.marks.map((mark) => (mark === 'undecided' ? '' : mark));
  return carryChoices(hunksOfChange(previous), hunks, choices).map((choice) => (choice === '' ? 'undecided' : choice));
}

/** The hunks of the change that an other diff of the same new text shows in these lines. */
export function hunksAt(lines: LineRange, hunks: readonly Hunk[]): readonly number[] {
  return [...hunks.keys()].filter((index) => touches(lines, hunks[index]?.newLines ?? lines));
}

/** Lines that were removed are between two lines. */
function touches(one: LineRange, other: LineRange): boolean {
  const [end, otherEnd] = [one.first + one.count, other.first + other.count];
  if (one.count === 0 || other.count === 0) return one.first <= otherEnd && other.first <= end;
  return one.first < otherEnd && other.first < end;
}
