import type { ReviewedChange } from './reviewed-change.ts';

/** Access to the files of changes. */
export interface ChangedFiles {
  /** Its changes are reported to `AgentDecisions.fileChanged`. */
  watch(path: string): Promise<void>;
  unwatch(path: string): void;
  read(path: string): Promise<string>;
}

/** Agents write a file within moments of the decision. */
const SETTLED_MS = 1500;
/** After that a change of the file has other reasons. */
const OVER_MS = 15_000;

/** Finds out what the user has decided in an agent's own terminal: the agent says that it closes its diff, and nothing else. */
export class AgentDecisions {
  readonly #files: ChangedFiles;
  readonly #learned: (entry: ReviewedChange) => void;
  readonly #followed = new Map<ReviewedChange, readonly NodeJS.Timeout[]>();

  constructor(files: ChangedFiles, learned: (entry: ReviewedChange) => void) {
    this.#files = files;
    this.#learned = learned;
  }

  /** Sets the entry's fate as soon as it is known, and calls `learned`. */
  async follow(entry: ReviewedChange): Promise<void> {
    const settled = setTimeout(() => void this.#look(entry, 'settled'), SETTLED_MS);
    const over = setTimeout(() => this.forget(entry), OVER_MS);
    this.#followed.set(entry, [settled, over]);
    for (const timer of [settled, over]) timer.unref();
    await this.#files.watch(entry.proposal.path);
    await this.#look(entry, 'soon');
  }

  fileChanged(path: string): void {
    for (const entry of this.#followed.keys()) if (entry.proposal.path === path) void this.#look(entry, 'soon');
  }

  forget(entry: ReviewedChange): void {
    for (const timer of this.#followed.get(entry) ?? []) clearTimeout(timer);
    if (!this.#followed.delete(entry)) return;
    const { path } = entry.proposal;
    if (![...this.#followed.keys()].some(({ proposal }) => proposal.path === path)) this.#files.unwatch(path);
  }

  close(): void {
    for (const entry of [...this.#followed.keys()]) this.forget(entry);
  }

  /** That nothing, or something else, was written is not said at once: the agent may still be at it. */
  async #look(entry: ReviewedChange, when: 'soon' | 'settled'): Promise<void> {
    const { path, oldText, newText } = entry.proposal;
    const text = await this.#files.read(path).catch(() => undefined);
    // Of a file that can't be read nothing is known, unless there was none.
    if (!this.#followed.has(entry) || (text === undefined && oldText !== undefined)) return;
    const fate = isSame(text, newText) ? 'written' : isSame(text, oldText) ? 'not written' : 'written otherwise';
    if ((fate !== 'written' && when === 'soon' && entry.fate === undefined) || fate === entry.fate) return;
    entry.fate = fate;
    if (fate === 'written') this.forget(entry);
    this.#learned(entry);
  }
}

/** Agents keep a file's own line ends, and some drop its last one. */
function isSame(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const plain = (text: string) => text.replaceAll('\r\n', '\n').replace(/\n$/, '');
  return plain(one) === plain(other);
}
