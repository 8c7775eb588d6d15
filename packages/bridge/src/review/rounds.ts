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
