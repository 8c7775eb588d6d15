/** One thing wrong with a value: where, and what was expected there. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Validators stop here, so that a megabyte of wrong items does not become a gigabyte of problems. */
export const maxProblems = 100;

/** One line for a user or a model: `arguments.tags[2]: expected one of "a", "b"; …`, five problems at most. */
export function describeProblems(problems: readonly Problem[], root: string): string {
  const lines = problems.slice(0, 5).map(({ path, message }) => {
    const place = describePath(path, root);
    return place === '' ? message : `${place}: ${message}`;
  });
  if (problems.length > 5) lines.push(`and ${problems.length - 5} more`);
  return lines.join('; ');
}

export const missing = 'required but missing';
export const unknownProperty = 'unknown property';
export const nothingAllowed = 'no value is allowed here';

export function wrongType(types: readonly string[], value: unknown): string {
  return `expected ${alternatives(types)}, got ${kindOf(value)}`;
}

export function notOneOf(values: readonly unknown[]): string {
  if (values.length === 1) return `expected ${quote(values[0])}`;
  const more = values.length > 10 ? ` and ${values.length - 10} more` : '';
  return `expected one of ${values.slice(0, 10).map(quote).join(', ')}${more}`;
}

export function tooFew(limit: number, unit: Unit): string {
  return `expected at least ${count(limit, unit)}`;
}

export function tooMany(limit: number, unit: Unit): string {
  return `expected at most ${count(limit, unit)}`;
}

export function outOfRange(bound: 'at least' | 'at most' | 'more than' | 'less than', limit: number): string {
  return `expected ${bound} ${limit}`;
}

/** The text, cut with an ellipsis if it is longer than `length` and never inside a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = length - 1;
  const last = text.charCodeAt(end - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)}…`;
}

type Unit = 'character' | 'item' | 'property';

function count(limit: number, unit: Unit): string {
  if (limit === 1) return `1 ${unit}`;
  return `${limit} ${unit === 'property' ? 'properties' : `${unit}s`}`;
}

function alternatives(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The JSON type of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return typeof value;
}

function quote(value: unknown): string {
  return clip(JSON.stringify(value) ?? String(value), 40);
}

function describePath(path: readonly (string | number)[], root: string): string {
  let place = root;
  for (const step of path) {
    if (typeof step === 'number') place += `[${step}]`;
    else if (!/^[A-Za-z_$][\w$]{0,39}$/.test(step)) place += `[${quote(step)}]`;
    else place += place === '' ? step : `.${step}`;
  }
  return place;
}
