import { changedIn } from '@hawser/diffs/changed-words';
import type { TextLine } from '@hawser/diffs/diff-lines';
import { layeredRanges } from '@hawser/diffs/layered-ranges';
import type { ScopeRange } from '@hawser/diffs/scope-ranges';
import { CodeScopes } from './code-scopes.ts';

/** A longer line is shown as it is. */
const MAX_DECORATED = 2000;
const MAX_KEPT = 5000;

/** What the parts of the lines of a diff are: syntax, and the words that change. */
export class DiffRanges {
  readonly #old: CodeScopes;
  readonly #new: CodeScopes;
  readonly #words = new WordRanges();

  constructor(
    worker: Worker,
    { path, oldText, newText }: { readonly path: string; readonly oldText: string; readonly newText: string },
    onReady: () => void,
  ) {
    this.#old = new CodeScopes(worker, { path, code: oldText }, onReady);
    this.#new = new CodeScopes(worker, { path, code: newText }, onReady);
  }

  of(line: TextLine): readonly ScopeRange[] {
    const { length, oldLine, newLine } = line;
    if (length > MAX_DECORATED) return [];
    const found = newLine === undefined ? this.#old.of(oldLine ?? 0) : this.#new.of(newLine);
    const syntax = found.flatMap((range) => (range.from < length ? { ...range, to: Math.min(range.to, length) } : []));
    return joinedScopes(syntax, this.#words.of(line));
  }

  close(): void {
    this.#old.close();
    this.#new.close();
  }
}

/** The words of lines that change. */
export class WordRanges {
  readonly #known = new Map<string, readonly ScopeRange[]>();

  of(line: TextLine): readonly ScopeRange[] {
    const { length, partner, oldLine, newLine } = line;
    if (partner === undefined || length > MAX_DECORATED || partner.length > MAX_DECORATED) return [];
    const key = `${oldLine} ${newLine}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const ranges = changedIn(line).map(([from, to]) => ({ from, to, scope: 'changed' }));
    if (this.#known.size >= MAX_KEPT) this.#known.clear();
    this.#known.set(key, ranges);
    return ranges;
  }
}

/** One list without overlaps, in order: where ranges of several lists cover a place, it has all their scopes. */
export function joinedScopes(...lists: readonly (readonly ScopeRange[])[]): readonly ScopeRange[] {
  return layeredRanges(lists, (covering) => ({ scope: covering.map(({ scope }) => scope).join(' ') }));
}
