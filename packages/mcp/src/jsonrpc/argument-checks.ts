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

/** Throws a TypeError unless the value is one of the choices. */
export function requireChoice(callee: string, what: string, value: unknown, choices: readonly string[]): void {
  if (choices.includes(value as string)) return;
  const known = choices.map((choice) => `'${choice}'`).join(' or ');
  throw new TypeError(`${callee}: ${what} must be ${known}, got ${describeValue(value)}`);
}

/** Throws a TypeError unless the value can be a `Connection`; a transport of the official SDK is none. */
export function requireConnection(callee: string, connection: unknown, advice: string): void {
  const members = (connection ?? {}) as Record<string, unknown>;
  const missing = ['start', 'send', 'drained', 'close'].find((name) => typeof members[name] !== 'function');
  if (missing === undefined) return;
  const isObject = typeof connection === 'object' && connection !== null;
  const got = isObject ? `an object without ${missing}()` : describeValue(connection);
  throw new TypeError(`${callee} takes a Connection, got ${got}. ${advice}`);
}

/** Throws a TypeError unless the value can be a server: what every `serve…` function and handler takes first. */
export function requireServer(callee: string, server: unknown): void {
  const members = (server ?? {}) as Record<string, unknown>;
  if (typeof members.connect === 'function' && typeof members.reportError === 'function') return;
  const example = `${callee}(new Server({ name: 'notes', version: '1.0.0' }))`;
  throw new TypeError(`${callee} takes a Server first, got ${describeValue(server)}. Write ${example}`);
}
