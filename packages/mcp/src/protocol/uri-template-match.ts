/** The variables of a URI whose encoding is normal, as a null-prototype object. Takes time linear in the URI. */
export type Match = (uri: string) => Record<string, string> | undefined;

export interface Operator {
  readonly first: string;
  readonly separator: string;
  /** Written as `name=value`; a name without a value is followed by this. */
  readonly named?: '' | '=';
  /** Reserved characters are left as they are. */
  readonly reserved?: true;
  /** What a value cannot contain in a URI. */
  readonly ends: string;
}

export interface Variable {
  readonly name: string;
  readonly explode: boolean;
  readonly prefix: number | undefined;
}

export interface Expression extends Operator {
  readonly variables: readonly Variable[];
}

/** Literals must be normal too: everything encoded that has to be, percent-encoded bytes in upper case. */
export function compileMatch(parts: readonly (string | Expression)[]): Match {
  // A step comes after every step it can reach without consuming a character.
  const steps: Step[] = [{ kind: 'end' }];
  let start = 0;
  let stops = '';
  for (const part of parts.toReversed()) {
    if (typeof part === 'string') {
      start = steps.push({ kind: 'literal', text: part, next: start }) - 1;
      stops = /^[?#]/.exec(part)?.[0] ?? '';
    } else {
      start = part.named === undefined ? addPositional(steps, part, start, stops) : addNamed(steps, part, start, stops);
      stops += part.first;
    }
  }
  return (uri) => run(steps, start, uri);
}

/**
 * A step of matching. `next` and `choices` are indexes of other steps. Instead of backtracking, a table is filled
 * from the URI's end: from which steps and positions can the end be reached? Then one walk from the start never takes a
 * wrong step.
 */
type Step =
  | { readonly kind: 'end' }
  | { readonly kind: 'literal'; readonly text: string; readonly next: number }
  | { readonly kind: 'choice'; readonly choices: readonly number[] }
  | Capture;

interface Capture {
  readonly kind: 'capture';
  readonly variable: Variable;
  /** What the value cannot contain; undefined if it must be empty. */
  readonly ends: string | undefined;
  /** Where a following expression may begin: the value ends here if the rest can match, else it is greedy. */
  readonly stops: string;
  /** `expand` writes no empty value here, so an empty one is the last resort. */
  readonly preferNonEmpty?: boolean;
  readonly next: number;
}

/** Which steps can reach the end of the URI from which positions. */
class Reach {
  readonly uri: string;
  readonly #width: number;
  readonly #table: Uint8Array;

  constructor(uri: string, steps: number) {
    this.uri = uri;
    this.#width = uri.length + 1;
    this.#table = new Uint8Array(steps * this.#width);
  }

  has(step: number, position: number): boolean {
    return this.#table[step * this.#width + position] === 1;
  }

  add(step: number, position: number): void {
    this.#table[step * this.#width + position] = 1;
  }
}

const PERCENT = 0x25;

function addPositional(steps: Step[], { first, separator, ends, variables }: Expression, after: number, stops: string) {
  let next = after;
  for (let index = variables.length - 1; index >= 0; index--) {
    const variable = variables[index];
    if (variable === undefined) continue;
    const isLast = index === variables.length - 1;
    const oneItem = !variable.explode && (separator === '/' || !isLast);
    next =
      steps.push({
        kind: 'capture',
        variable,
        ends: oneItem ? ends + separator : ends,
        stops: isLast ? stops : stops + separator,
        next,
      }) - 1;
    const text = index === 0 ? first : separator;
    if (text === '') break;
    const lead = steps.push({ kind: 'literal', text, next }) - 1;
    next = steps.push({ kind: 'choice', choices: [lead, after] }) - 1;
  }
  return next;
}

function addNamed(steps: Step[], expression: Expression, after: number, stops: string): number {
  const { first, separator, named, ends, variables } = expression;
  const forms = variables.flatMap((variable) => {
    const valued = { variable, text: `${variable.name}=`, ends };
    // The operator ; writes an empty value as a bare name.
    return named === '' ? [valued, { variable, text: variable.name, ends: undefined }] : [valued];
  });
  const begun = steps.length + forms.length;
  const addChoice = (lead: string): number => {
    const literals = forms.map(
      ({ text }, index) => steps.push({ kind: 'literal', text: lead + text, next: begun + 1 + index }) - 1,
    );
    return steps.push({ kind: 'choice', choices: [...literals, after] }) - 1;
  };
  // The choice at `begun`: one more parameter, in any order, or what follows the expression.
  addChoice(separator);
  for (const form of forms) {
    const preferNonEmpty = named === '';
    steps.push({ kind: 'capture', variable: form.variable, ends: form.ends, stops, preferNonEmpty, next: begun });
  }
  return addChoice(first);
}

function run(steps: readonly Step[], start: number, uri: string): Record<string, string> | undefined {
  const opening = steps[start];
  if (opening?.kind === 'literal' && !uri.startsWith(opening.text)) return undefined;

  const reach = new Reach(uri, steps.length);
  for (let position = uri.length; position >= 0; position--) {
    // Nothing begins or ends inside a percent-encoded byte.
    const isInsideByte = uri.charCodeAt(position - 1) === PERCENT || uri.charCodeAt(position - 2) === PERCENT;
    for (let index = 0; index < steps.length; index++) {
      const step = steps[index] as Step; // by the condition of the loop
      const canExtendHere = step.kind === 'capture' && canExtend(step, index, position, reach);
      if (canExtendHere || (!isInsideByte && canReach(step, position, reach))) reach.add(index, position);
    }
  }
  return reach.has(start, 0) ? walk(steps, start, reach) : undefined;
}

function canReach(step: Step, position: number, reach: Reach): boolean {
  switch (step.kind) {
    case 'end':
      return position === reach.uri.length;
    case 'literal':
      return reach.uri.startsWith(step.text, position) && reach.has(step.next, position + step.text.length);
    case 'choice':
      for (const choice of step.choices) if (reach.has(choice, position)) return true;
      return false;
    case 'capture':
      return reach.has(step.next, position);
  }
}

function canExtend({ ends }: Capture, index: number, position: number, reach: Reach): boolean {
  if (ends === undefined || position === reach.uri.length || !reach.has(index, position + 1)) return false;
  return !ends.includes(reach.uri.charAt(position));
}

function walk(steps: readonly Step[], start: number, reach: Reach) {
  const { uri } = reach;
  const found: Record<string, string> = Object.create(null);
  const partial = new Set<string>();
  let index = start;
  let position = 0;
  for (let step = steps[index]; step !== undefined && step.kind !== 'end'; step = steps[index]) {
    if (step.kind === 'literal') {
      position += step.text.length;
      index = step.next;
    } else if (step.kind === 'choice') {
      index = step.choices.find((choice) => reach.has(choice, position)) ?? -1;
    } else {
      const from = position;
      while (canExtend(step, index, position, reach)) {
        const mayEnd = position > from || !step.preferNonEmpty;
        if (mayEnd && step.stops.includes(uri.charAt(position)) && reach.has(step.next, position)) break;
        position++;
      }
      if (!keep(found, partial, step.variable, uri.slice(from, position))) return undefined;
      index = step.next;
    }
  }
  return found;
}

/** False when the value is not text or contradicts what the same variable had before; `partial` are prefixes so far. */
function keep(
  found: Record<string, string>,
  partial: Set<string>,
  { name, explode, prefix }: Variable,
  encoded: string,
): boolean {
  const value = decode(encoded);
  if (value === undefined) return false;
  const before = found[name];
  if (before === undefined) {
    found[name] = value;
    if (prefix !== undefined) partial.add(name);
    return true;
  }
  if (explode) {
    found[name] = `${before},${value}`;
    return true;
  }
  if (prefix !== undefined) return before.startsWith(value);
  if (!partial.delete(name)) return before === value;
  found[name] = value;
  return value.startsWith(before);
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
