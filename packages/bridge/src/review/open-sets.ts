import type { Member, OpenSet } from './open-set.ts';
import type { OutcomeSummary, Proposal } from './proposal.ts';

/** The outcomes of this many ended proposals are kept for late callers. */
const MAX_REMEMBERED = 1000;

/** The open sets in order of arrival, by the ids of their members, and how the last ones ended. */
export class OpenSets {
  readonly #open = new Map<string, { readonly set: OpenSet; readonly member: Member }>();
  readonly #outcomes = new Map<string, OutcomeSummary>();

  add(set: OpenSet): void {
    for (const member of set.members) this.#open.set(member.id, { set, member });
  }

  /** True the first time. */
  remove(set: OpenSet): boolean {
    const isOpen = set.members.some(({ hasEnded }) => !hasEnded);
    for (const member of set.members) {
      member.hasEnded = true;
      this.#open.delete(member.id);
    }
    return isOpen;
  }

  ended(id: string, outcome: OutcomeSummary): void {
    this.#outcomes.set(id, outcome);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MAX_REMEMBERED && oldest !== undefined) this.#outcomes.delete(oldest);
  }

  outcomeOf(id: string): OutcomeSummary | undefined {
    return this.#outcomes.get(id);
  }

  /** Undefined if it has ended, or its file is still being read. */
  find(id: string): { readonly set: OpenSet; readonly member: Member; readonly proposal: Proposal } | undefined {
    const found = this.#open.get(id);
    const proposal = found?.member.proposal;
    return found === undefined || proposal === undefined ? undefined : { ...found, proposal };
  }

  members(): readonly Member[] {
    return [...this.#open.values()].map(({ member }) => member);
  }

  all(): readonly OpenSet[] {
    return [...new Set([...this.#open.values()].map(({ set }) => set))];
  }

  named(owner: object, name: string): OpenSet | undefined {
    return this.all().find(({ options }) => options.owner === owner && options.name === name);
  }

  /** Ids of open proposals that start like this, else those of ended ones; a complete id is the only match. */
  idsStartingWith(start: string): readonly string[] {
    if (this.find(start) !== undefined || this.#outcomes.has(start)) return [start];
    const open = this.members().flatMap(({ id, proposal }) => (proposal && id.startsWith(start) ? id : []));
    return open.length > 0 ? open : [...this.#outcomes.keys()].filter((id) => id.startsWith(start));
  }
}
