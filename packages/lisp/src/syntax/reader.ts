import { readDispatch } from './dispatch.ts';
import { featureVerdict } from './features.ts';
import { type Node, pair, UNKNOWN } from './node.ts';
import { positionAt } from './position.ts';
import { isWhitespace, readToken, type Token, tokenFlaw } from './token.ts';

interface Problem {
  readonly at: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** The state that nested objects are read in. */
interface Mode {
  /** How many backquotes enclose this place, less the commas. */
  readonly depth: number;
  /** The depth at which no comma may stand any more: inside `#.`, arrays and structures. */
  readonly floor: number;
  /** Inside what `#+` or `#-` leaves out: structure counts, meaning does not. */
  readonly skipping: boolean;
  /** After `#x` and its like, where a number is not what it would be in decimal. */
  readonly inRadix: boolean;
}

/** An object that is not complete yet. */
type Open = { readonly at: number; readonly outside: Mode } & (
  | {
      kind: 'list';
      form: 'list' | 'vector';
      length: number | undefined;
      items: Node[];
      dot: 'none' | 'seen' | 'filled';
    }
  | { kind: 'prefix'; text: string; complete: (node: Node) => Node | undefined }
  | { kind: 'guard'; keepIf: 'present' | 'absent' }
);

const OUTERMOST: Mode = { depth: 0, floor: 0, skipping: false, inRadix: false };

/** Deeper than any program, and safe for recursive functions. */
const MAX_OPEN = 2000;
/** Problems are found nearly in the order of the text; only the first are listed. */
const MAX_NOTED = 1000;

/** The standard reader, without building objects. It keeps its own stack, so that no text overflows it. */
export class Reader {
  readonly problems: Problem[] = [];
  forms = 0;
  formsBeforeError: number | undefined;
  readonly text: string;
  readonly #features: ReadonlySet<string>;
  readonly #open: Open[] = [];
  readonly labels = new Map<number, Node | 'open'>();
  mode: Mode = OUTERMOST;
  at = 0;
  /** The first list that begins a line while another is open: where a parenthesis is missing, as a rule. */
  #suspicious: number | undefined;

  constructor(text: string, features: ReadonlySet<string>) {
    this.text = text;
    this.#features = features;
  }

  readAll() {
    while (this.at < this.text.length) {
      this.#readNext();
      if (this.#open.length <= MAX_OPEN) continue;
      this.error(this.at, `This is nested more than ${MAX_OPEN} deep, which is more than this check follows`);
      return;
    }
    this.#reportOpen();
  }

  #readNext() {
    const start = this.at;
    const character = this.text.charAt(start);
    this.at += 1;
    if (isWhitespace(character)) return;
    switch (character) {
      case '(':
        return this.openList(start, 'list', undefined);
      case ')':
        return this.#closeList(start);
      case ';': {
        const end = this.text.indexOf('\n', start);
        this.at = end === -1 ? this.text.length : end + 1;
        return;
      }
      case '"':
        return this.#readString(start);
      case "'":
        return this.prefix(start, "'", (node) => pair(node));
      case '`':
        return this.#backquote(start);
      case ',':
        return this.#comma(start);
      case '#':
        return readDispatch(this, start);
      default:
        return this.#readSymbolOrNumber(start);
    }
  }

  openList(start: number, form: 'list' | 'vector', length: number | undefined) {
    if (this.#begunLine(start) && this.#open.some(({ kind }) => kind === 'list')) this.#suspicious ??= start;
    this.#open.push({ at: start, outside: this.mode, kind: 'list', form, length, items: [], dot: 'none' });
  }

  #begunLine(start: number): boolean {
    return this.text.startsWith('(def', start) && this.text.charAt(start - 1) === '\n';
  }

  #closeList(start: number) {
    let top = this.#open.at(-1);
    if (top !== undefined && top.kind !== 'list') {
      this.error(start, `The ) stands where ${wanted(top)} still wants an object`);
      while (top !== undefined && top.kind !== 'list') top = this.#leave();
    }
    if (top === undefined) {
      this.error(start, 'This ) closes nothing: there is no open ( before it');
      this.mode = OUTERMOST;
      return;
    }
    const { form, length, items, dot } = top as Extract<Open, { kind: 'list' }>;
    const { skipping } = this.mode;
    this.#leave();
    if (!skipping) {
      if (dot === 'seen') this.error(start, 'Nothing stands between the dot and this )');
      if (form === 'vector' && dot === 'filled') this.error(top.at, 'A vector cannot have a dot in it');
      if (length !== undefined && items.length > length) {
        this.error(top.at, `This vector is to have ${length} elements, but ${items.length} are given`);
      }
      if (length !== undefined && length > 0 && items.length === 0) {
        this.error(top.at, `This vector is to have ${length} elements, but none is given to fill it with`);
      }
    }
    this.deliver(form === 'list' ? { kind: 'list', items, dotted: dot === 'filled' } : { kind: 'vector', items });
  }

  #readString(start: number) {
    let length = 0;
    for (; this.at < this.text.length; this.at += 1, length += 1) {
      const character = this.text.charAt(this.at);
      if (character === '\\') this.at += 1;
      else if (character === '"') {
        this.at += 1;
        this.deliver({ kind: 'text', of: 'string', length });
        return;
      }
    }
    this.unfinished(start, 'This string is not closed: a " is missing');
  }

  #backquote(start: number) {
    const { skipping, depth } = this.mode;
    this.prefix(
      start,
      '`',
      (node) => {
        if (!skipping && node.kind === 'comma' && node.splices) {
          this.error(start, 'A splicing comma cannot stand right after a backquote: there is no list to splice into');
        }
        return pair(node);
      },
      { depth: depth + 1 },
    );
  }

  #comma(start: number) {
    const { depth, floor, skipping } = this.mode;
    const splices = this.text.charAt(this.at) === '@' || this.text.charAt(this.at) === '.';
    if (depth <= floor) {
      if (skipping) return this.deliver(UNKNOWN);
      this.error(start, floor > 0 ? 'A comma cannot stand in here' : 'This comma is not inside a backquote');
    }
    if (splices) this.at += 1;
    this.prefix(start, this.text.slice(start, this.at), () => ({ kind: 'comma', splices }), {
      depth: Math.max(floor, depth - 1),
    });
  }

  #readSymbolOrNumber(start: number) {
    const token = this.readToken(start);
    if (token === undefined) return;
    const { skipping } = this.mode;
    const top = this.#open.at(-1);
    if (token.name === '.' && !token.escaped && top?.kind === 'list') {
      if (!skipping) this.#dot(start, top);
      return;
    }
    if (!skipping && !this.mode.inRadix) {
      const flaw = tokenFlaw(token);
      if (flaw !== undefined) this.error(start, flaw);
      else if (token.nameless) this.#nameless(start, token);
    }
    this.deliver({ kind: 'token', token });
  }

  /** SBCL takes `a: ` for a symbol with an empty name, but not at the end of the text. */
  #nameless(start: number, { name, end }: Token) {
    const message = `${name} has no name after its colon`;
    if (end >= this.text.length) this.error(start, message);
    else this.warning(start, message);
  }

  #dot(start: number, list: Extract<Open, { kind: 'list' }>) {
    if (list.dot !== 'none') this.error(start, 'This list has a dot already');
    else if (list.items.length === 0) this.error(start, 'Nothing stands before this dot');
    list.dot = 'seen';
  }

  /** Undefined when the text ends inside it; that is reported already. */
  readToken(start: number, first: 'literally' | 'usual' = 'usual'): Token | undefined {
    const token = readToken(this.text, start, first);
    if ('unfinished' in token) {
      this.unfinished(
        start,
        token.unfinished === 'bars'
          ? 'This symbol is not closed: a | is missing'
          : 'A character is wanted after this \\',
      );
      return undefined;
    }
    this.at = token.end;
    return token;
  }

  /** Begins `#+` or `#-`: a feature expression, then the object that it decides about. */
  openGuard(start: number, keepIf: 'present' | 'absent') {
    this.#open.push({ at: start, outside: this.mode, kind: 'guard', keepIf });
    this.mode = { ...this.mode, skipping: false };
  }

  /** Begins an object that contains exactly one other. */
  prefix(start: number, text: string, complete: (node: Node) => Node, inside: Partial<Mode> = {}) {
    const { skipping } = this.mode;
    const done = skipping ? () => UNKNOWN : complete;
    this.#open.push({ at: start, outside: this.mode, kind: 'prefix', text, complete: done });
    this.mode = { ...this.mode, ...inside };
  }

  /** An object is complete, and perhaps the one that contains it. */
  deliver(delivered: Node) {
    let node: Node | undefined = delivered;
    while (node !== undefined) {
      const top = this.#open.at(-1);
      if (top === undefined) {
        this.forms += 1;
        this.labels.clear();
        return;
      }
      if (top.kind === 'list') return this.#addTo(top, node);
      this.#leave();
      if (top.kind === 'prefix') node = top.complete(node);
      else return this.#guard(top, node);
    }
  }

  #addTo(list: Extract<Open, { kind: 'list' }>, node: Node) {
    if (!this.mode.skipping) {
      if (list.dot === 'filled') this.error(this.at - 1, 'More than one object follows the dot of this list');
      else if (list.dot === 'seen' && node.kind === 'comma' && node.splices) {
        this.error(this.at - 1, 'A splicing comma cannot stand after a dot');
      }
    }
    if (list.dot === 'seen') list.dot = 'filled';
    list.items.push(node);
  }

  /** The feature expression is complete; the object that it decides about follows. */
  #guard({ at, keepIf, outside }: Extract<Open, { kind: 'guard' }>, expression: Node) {
    const verdict = featureVerdict(expression, this.#features);
    const sign = keepIf === 'present' ? '#+' : '#-';
    if (verdict === 'malformed') this.error(at, `${sign} wants a feature, or and, or, not of features`);
    const kept = verdict === keepIf;
    this.#open.push({ at, outside, kind: 'prefix', text: sign, complete: (node) => (kept ? node : undefined) });
    this.mode = { ...outside, skipping: outside.skipping || !kept };
  }

  #leave(): Open | undefined {
    const left = this.#open.pop();
    if (left !== undefined) this.mode = left.outside;
    return this.#open.at(-1);
  }

  #reportOpen() {
    const innermost = this.#open.at(-1);
    if (innermost === undefined) return;
    if (innermost.kind !== 'list') this.error(innermost.at, `The text ends where ${wanted(innermost)} wants an object`);
    const lists = this.#open.filter(({ kind }) => kind === 'list');
    const [outermost] = lists;
    const last = lists.at(-1);
    if (outermost === undefined || last === undefined) return;
    const place = (at: number) => {
      const { line, column } = positionAt(this.text, at);
      return `line ${line}, column ${column}`;
    };
    const which = lists.length === 1 ? 'This list is' : `This list and ${lists.length - 1} inside it are`;
    const inner = lists.length === 1 ? '' : `; the innermost begins at ${place(last.at)}`;
    const hint =
      this.#suspicious === undefined
        ? ''
        : `. A ) is probably missing before the definition at ${place(this.#suspicious)}`;
    this.error(
      outermost.at,
      `${which} not closed: ${lists.length === 1 ? 'a ) is' : `${lists.length} ) are`} missing${inner}${hint}`,
    );
  }

  /** The text ends inside an object: later problems would make no sense. */
  unfinished(at: number, message: string) {
    this.at = this.text.length;
    this.#open.length = 0;
    this.error(at, message);
  }

  error(at: number, message: string) {
    this.formsBeforeError ??= this.forms;
    this.#note({ at, severity: 'error', message });
  }

  warning(at: number, message: string) {
    this.#note({ at, severity: 'warning', message });
  }

  #note(problem: Problem) {
    if (this.problems.length < MAX_NOTED) this.problems.push(problem);
  }
}

function wanted(open: Open): string {
  return open.kind === 'prefix' ? open.text : 'the #+ or #-';
}
