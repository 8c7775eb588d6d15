// For mistakes that nothing else reports, or only in production: an option that is ignored, a limit that limits nothing, a callback
// that is called late. What fails at once with a plain message is left to the types.

/** A value as messages about mistakes name it: `undefined`, `an array`, `"text"`. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Throws a TypeError unless the value is an object. `example` shows the right call. */
export function requireObject(callee: string, value: unknown, takes: string, example: string): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new TypeError(`${callee} takes ${takes}, got ${describeValue(value)}. Write ${example}`);
}

/** Throws a TypeError unless the value is a function. */
export function requireFunction(callee: string, what: string, value: unknown): void {
  if (typeof value === 'function') return;
  throw new TypeError(`${callee}: ${what} must be a function, got ${describeValue(value)}`);
}

/** Throws a TypeError unless the value is a name and a version. */
export function requireInfo(callee: string, info: unknown): void {
  const { name, version } = (info ?? {}) as { name?: unknown; version?: unknown };
  if (typeof name === 'string' && typeof version === 'string') return;
  const example = `new ${callee}({ name: 'notes', version: '1.0.0' })`;
  throw new TypeError(`new ${callee} takes { name, version }, both strings, first. Write ${example}`);
}

/** Throws a TypeError unless the value is one of the choices. */
export function requireChoice(callee: string, what: string, value: unknown, choices: readonly string[]): void {
  if (choices.includes(value as string)) return;
  const known = choices.map((choice) => `'${choice}'`).join(' or ');
  throw new TypeError(`${callee}: ${what} must be ${known}, got ${describeValue(value)}`);
}

/** Throws a TypeError unless the value can be a `Connection`. A transport of the official SDK cannot. */
export function requireConnection(callee: string, connection: unknown, advice: string): void {
  requireMembers(callee, 'a Connection', connection, ['start', 'send', 'drained', 'close'], `. ${advice}`);
}

/** Throws a TypeError unless the value can be a server: what every `serve…` function and handler takes first. */
export function requireServer(callee: string, server: unknown): void {
  const members = (server ?? {}) as Record<string, unknown>;
  if (typeof members.connect === 'function' && typeof members.reportError === 'function') return;
  const example = `${callee}(new Server({ name: 'notes', version: '1.0.0' }))`;
  throw new TypeError(`${callee} takes a Server first, got ${describeValue(server)}. Write ${example}`);
}

/** Throws a TypeError unless the value is an object with these functions; `type` names it. */
export function requireMembers(
  callee: string,
  type: string,
  value: unknown,
  functions: readonly string[],
  advice = '',
): void {
  const members = Object(value) as { readonly [name: string]: unknown };
  const missing = functions.find((name) => typeof members[name] !== 'function');
  if (missing === undefined) return;
  const got = typeof value === 'object' && value !== null ? `an object without ${missing}()` : describeValue(value);
  throw new TypeError(`${callee} takes ${type}, got ${got}${advice}`);
}

/** Throws a RangeError unless the value is absent or a number that is not negative. */
export function requireLimit(callee: string, name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return;
  throw new RangeError(`${callee}: ${name} must be a number that is not negative, got ${String(value)}`);
}

/** The names of all options of a type. The compiler finds a name that is missing, or too many. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: unknown };

/** Throws a TypeError for an option that does not exist. Ignoring a misspelled `authorize` would leave a server open. */
export function requireKnownOptions(callee: string, options: object, names: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const similar = Object.keys(names).find((known) => areSimilar(known.toLowerCase(), name.toLowerCase()));
    const advice = similar === undefined ? `Options are ${Object.keys(names).join(', ')}` : `Did you mean ${similar}?`;
    throw new TypeError(`${callee} has no option ${name}. ${advice}`);
  }
}

/** Whether one name becomes the other by changing, adding or removing up to two letters in one place. */
function areSimilar(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (long.length - short.length > 2) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  return long.length - start - end <= 2;
}
