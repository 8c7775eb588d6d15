import { kindOf } from './tool-result.ts';

/** Throws when a server is not given its name and version. */
export function checkInfo(info: unknown): void {
  const { name, version } = (info ?? {}) as { name?: unknown; version?: unknown };
  if (typeof name === 'string' && typeof version === 'string') return;
  const example = "new Server({ name: 'notes', version: '1.0.0' })";
  throw new TypeError(`new Server takes { name, version }, both strings, first. Write ${example}`);
}

/** Throws when the value cannot be a `Connection`, for example a transport of the official SDK. */
export function checkConnection(connection: unknown): void {
  const members = (connection ?? {}) as Record<string, unknown>;
  const missing = ['start', 'send', 'drained', 'close'].find((name) => typeof members[name] !== 'function');
  if (missing === undefined) return;
  const got =
    typeof connection === 'object' && connection !== null ? `an object without ${missing}()` : kindOf(connection);
  const advice = 'To listen, use serveStdio, serveHttp or serveWebSocket';
  throw new TypeError(`server.connect takes a Connection, got ${got}. ${advice}`);
}

/** Throws when a registration is not called with a definition and a handler. `example` shows the right call. */
export function checkShape(what: string, definition: unknown, handler: unknown, example: string): void {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    const got = typeof definition === 'string' ? JSON.stringify(definition) : kindOf(definition);
    throw new TypeError(`server.${what} takes a definition and a handler, got ${got} first. Write ${example}`);
  }
  if (typeof handler !== 'function') {
    throw new TypeError(
      `server.${what}: the second argument must be a function, got ${kindOf(handler)}. Write ${example}`,
    );
  }
}

/** Throws for tool names that the specification forbids. */
export function checkToolName(name: unknown): void {
  checkName('Tool', name);
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name as string)) return;
  const rule = 'a tool name has 1 to 128 characters of A-Z a-z 0-9 _ - and .';
  throw new TypeError(`Tool ${JSON.stringify(name)}: MCP forbids this name; ${rule}`);
}

export function checkName(what: string, name: unknown): void {
  if (typeof name === 'string' && name !== '') return;
  throw new TypeError(`${what}: name must be a non-empty string, got ${name === '' ? 'an empty one' : kindOf(name)}`);
}

export function checkUri(name: string, uri: unknown): void {
  if (typeof uri === 'string' && /^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) return;
  const got = typeof uri === 'string' ? JSON.stringify(uri) : kindOf(uri);
  throw new TypeError(`Resource ${name}: uri must be an absolute URI like file:///notes.txt, got ${got}`);
}

/** Throws for methods that JSON-RPC reserves. */
export function checkMethod(method: unknown): void {
  checkName('Custom message', method);
  if ((method as string).startsWith('rpc.')) {
    throw new TypeError(`Method ${method as string}: JSON-RPC reserves names that begin with "rpc."`);
  }
}
