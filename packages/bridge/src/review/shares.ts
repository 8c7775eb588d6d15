import type { Proposal } from './proposal.ts';

export interface ShareLimits {
  /** Proposals that are open at once. */
  readonly maxOpen: number;
  readonly maxOpenPerAgent: number;
  /** Bytes of their texts. */
  readonly maxBytes: number;
  readonly maxBytesPerAgent: number;
}

type Texts = Pick<Proposal, 'oldText' | 'newText'>;

const MIB = 1024 * 1024;
/** If nothing else is said. */
export const SHARE_LIMITS: ShareLimits = {
  maxOpen: 1000,
  maxOpenPerAgent: 250,
  maxBytes: 256 * MIB,
  maxBytesPerAgent: 128 * MIB,
};

/** What open proposals take, of each agent and in all. */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #all = new Share();
  readonly #owners = new Map<object, Share>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Why `count` more proposals can't be opened; undefined if they can, and then they count. */
  open(owner: object, count: number): string | undefined {
    const { maxOpen, maxOpenPerAgent } = this.#limits;
    const share = this.#shareOf(owner);
    if (share.open + count > maxOpenPerAgent) return `${share.open} proposals of this agent are open; ${HOW_TO_GO_ON}`;
    if (this.#all.open + count > maxOpen) return `${this.#all.open} proposals of all agents are open; ${HOW_TO_GO_ON}`;
    for (const each of [share, this.#all]) each.open += count;
    return undefined;
  }

  close(owner: object, count: number): void {
    const share = this.#shareOf(owner);
    for (const each of [share, this.#all]) each.open -= count;
    if (share.open === 0) this.#owners.delete(owner);
  }

  /** Why there is no room for the texts; undefined if there is, and then they count. */
  add(owner: object, texts: Texts): string | undefined {
    const { maxBytes, maxBytesPerAgent } = this.#limits;
    const share = this.#shareOf(owner);
    if (share.bytesWith(texts) > maxBytesPerAgent) {
      return `Open proposals of this agent hold up to ${maxBytesPerAgent} bytes; ${HOW_TO_GO_ON}`;
    }
    if (this.#all.bytesWith(texts) > maxBytes) {
      return `Open proposals of all agents hold up to ${maxBytes} bytes; ${HOW_TO_GO_ON}`;
    }
    for (const each of [share, this.#all]) each.add(texts);
    return undefined;
  }

  remove(owner: object, texts: Texts): void {
    for (const each of [this.#shareOf(owner), this.#all]) each.remove(texts);
  }

  /** Counts the first of the candidates that has room in place of what counted before; undefined, and no change, if none has. */
  replace<T extends Texts>(owner: object, before: Texts, candidates: readonly T[]): T | undefined {
    this.remove(owner, before);
    const fitting = candidates.find((texts) => this.add(owner, texts) === undefined);
    if (fitting === undefined) for (const each of [this.#shareOf(owner), this.#all]) each.add(before);
    return fitting;
  }

  #shareOf(owner: object): Share {
    const share = this.#owners.get(owner) ?? new Share();
    this.#owners.set(owner, share);
    return share;
  }
}

const HOW_TO_GO_ON = 'decide or withdraw some first';

/** An old text that several proposals have is in memory once and counts once. */
class Share {
  open = 0;
  #bytes = 0;
  readonly #oldTexts = new Map<string, number>();

  bytesWith({ oldText, newText }: Texts): number {
    const isNew = oldText !== undefined && !this.#oldTexts.has(oldText);
    return this.#bytes + Buffer.byteLength(newText) + (isNew ? Buffer.byteLength(oldText) : 0);
  }

  add(texts: Texts): void {
    const { oldText } = texts;
    this.#bytes = this.bytesWith(texts);
    if (oldText !== undefined) this.#oldTexts.set(oldText, (this.#oldTexts.get(oldText) ?? 0) + 1);
  }

  remove({ oldText, newText }: Texts): void {
    this.#bytes -= Buffer.byteLength(newText);
    if (oldText === undefined) return;
    const left = (this.#oldTexts.get(oldText) ?? 1) - 1;
    if (left > 0) this.#oldTexts.set(oldText, left);
    else {
      this.#oldTexts.delete(oldText);
      this.#bytes -= Buffer.byteLength(oldText);
    }
  }
}
