export interface ScopeRange {
  readonly from: number;
  readonly to: number;
  /** As highlight.js names it, for example `title.function`. */
  readonly scope: string;
}

/** Collects what highlight.js finds, as offsets in the text instead of HTML. The innermost scope counts. */
export class ScopeRanges {
  readonly ranges: ScopeRange[] = [];
  readonly #open: string[] = [];
  #length = 0;

  addText(text: string): void {
    const [from, to] = [this.#length, this.#length + text.length];
    const scope = this.#open.at(-1);
    if (scope !== undefined && to > from) this.ranges.push({ from, to, scope });
    this.#length = to;
  }

  startScope(scope: string): void {
    this.#open.push(scope);
  }

  endScope(): void {
    this.#open.pop();
  }

  // highlight.js calls these for the scopes of modes, and those above for the rest.
  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  /** A part in another language, such as a script in a page. */
  __addSublanguage(part: ScopeRanges): void {
    for (const { from, to, scope } of part.ranges) {
      this.ranges.push({ from: this.#length + from, to: this.#length + to, scope });
    }
    this.#length += part.#length;
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }
}
