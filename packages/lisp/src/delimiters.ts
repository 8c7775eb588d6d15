/** A place where delimiters of Lisp code don't match. */
export interface DelimiterProblem {
  /** 1-based. */
  readonly line: number;
  /** 0-based, in characters. */
  readonly column: number;
  readonly message: string;
}

const MAX_PROBLEMS = 20;

/**
 * Unbalanced parentheses, and strings, symbols and comments that are not closed, in standard syntax; in the order of the
 * text. Needs no Lisp, and says where a parenthesis is probably missing, which a reader can't: it stops at the end.
 */
export function checkDelimiters(code: string): DelimiterProblem[] {
  return new Scan(code).problems
    .slice(0, MAX_PROBLEMS)
    .map(({ at, message }) => ({ ...positionAt(code, at), message }));
}

class Scan {
  readonly problems: { readonly at: number; readonly message: string }[] = [];
  readonly #code: string;
  /** Where lists begin that are not closed yet. */
  readonly #open: number[] = [];
  /** The first definition that begins a line inside a list: a parenthesis is missing before it, as a rule. */
  #suspicious: number | undefined;

  constructor(code: string) {
    this.#code = code;
    let inToken = false;
    for (let at = 0; at < code.length; ) {
      const next = this.#skip(at, inToken);
      inToken = !/[\s()"';`,]/.test(code.charAt(at)) && !code.startsWith('#|', at);
      at = next;
    }
    this.#reportOpenLists();
  }

  /** The position after what begins at `at`. */
  #skip(at: number, inToken: boolean): number {
    switch (this.#code.charAt(at)) {
      case '(':
        if (this.#open.length > 0 && /^\n\(def/.test(this.#code.slice(at - 1, at + 4))) this.#suspicious ??= at;
        this.#open.push(at);
        return at + 1;
      case ')':
        if (this.#open.pop() === undefined) this.#report(at, 'This ) closes nothing: there is no open ( before it');
        return at + 1;
      case ';':
        return this.#after('\n', at);
      case '"':
        return this.#closed(at, '"', 'string');
      case '|':
        return this.#closed(at, '|', 'symbol');
      case '\\':
        return at + 2;
      case '#':
        // Within a symbol it is a letter.
        if (!inToken && this.#code.startsWith('#|', at)) return this.#comment(at);
        return this.#code.startsWith('#\\', at) && !inToken ? at + 3 : at + 1;
      default:
        return at + 1;
    }
  }

  #after(end: string, at: number): number {
    const found = this.#code.indexOf(end, at);
    return found === -1 ? this.#code.length : found + end.length;
  }

  #closed(at: number, mark: string, what: string): number {
    for (let end = at + 1; end < this.#code.length; end += 1) {
      if (this.#code.charAt(end) === '\\') end += 1;
      else if (this.#code.charAt(end) === mark) return end + 1;
    }
    return this.#unclosed(at, `This ${what} is not closed: a ${mark} is missing`);
  }

  /** Comments nest. */
  #comment(at: number): number {
    let depth = 0;
    for (const { 0: mark, index } of this.#code.slice(at).matchAll(/#\||\|#/g)) {
      depth += mark === '#|' ? 1 : -1;
      if (depth === 0) return at + index + 2;
    }
    return this.#unclosed(at, 'This comment is not closed: |# is missing');
  }

  /** What encloses it can't be judged. */
  #unclosed(at: number, message: string): number {
    this.#report(at, message);
    this.#open.length = 0;
    return this.#code.length;
  }

  #reportOpenLists(): void {
    const [outermost] = this.#open;
    const innermost = this.#open.at(-1);
    if (outermost === undefined || innermost === undefined) return;
    const place = (at: number) => {
      const { line, column } = positionAt(this.#code, at);
      return `line ${line}, column ${column}`;
    };
    const count = this.#open.length;
    const message =
      count === 1
        ? 'This list is not closed: a ) is missing'
        : `This list and ${count - 1} inside it are not closed: ${count} ) are missing; the innermost begins at ${place(innermost)}`;
    const hint =
      this.#suspicious === undefined
        ? ''
        : `. A ) is probably missing before the definition at ${place(this.#suspicious)}`;
    this.#report(outermost, message + hint);
  }

  #report(at: number, message: string): void {
    this.problems.push({ at, message });
  }
}

/** The place of an offset: line from 1, column from 0, counted in characters as Lisp counts them. */
function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: [...before.slice(lineStart)].length };
}
