import { describeValue } from '../../jsonrpc/argument-checks.ts';
import { isObject } from '../../jsonrpc/codec.ts';
import { describeKind } from './content-block.ts';

/** Throws when a registration is not called with a definition and a handler. `example` shows the right call. */
export function checkShape(what: string, definition: unknown, handler: unknown, example: string): void {
  if (!isObject(definition)) {
    const got = describeValue(definition);
    throw new TypeError(`server.${what} takes a definition and a handler, got ${got} first. Write ${example}`);
  }
  if (typeof handler !== 'function') {
    throw new TypeError(
      `server.${what}: the second argument must be a function, got ${describeKind(handler)}. Write ${example}`,
    );
  }
}

export function checkName(what: string, name: unknown): void {
  if (typeof name === 'string' && name !== '') return;
  throw new TypeError(
    `${what}: name must be a non-empty string, got ${name === '' ? 'an empty one' : describeKind(name)}`,
  );
}

export function checkUri(name: string, uri: unknown): void {
  if (typeof uri === 'string' && /^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) {
    if (!/[{}]/.test(uri)) return;
    const instead = `server.resourceTemplate({ uriTemplate: ${JSON.stringify(uri)}, name: ${JSON.stringify(name)} }, …)`;
    throw new TypeError(`Resource ${name}: a URI has no braces. For a template, write ${instead}`);
  }
  const got = typeof uri === 'string' ? JSON.stringify(uri) : describeKind(uri);
  throw new TypeError(`Resource ${name}: uri must be an absolute URI like file:///notes.txt, got ${got}`);
}

/** Names that other libraries have for `inputSchema`. */
const OTHER_NAMES = ['parameters', 'paramsSchema', 'argsSchema', 'schema', 'input_schema', 'inputs'];

/** Throws when a tool has its schema under the name that another library uses: it would be ignored. */
export function checkSchemaName(name: string, definition: object): void {
  const other = OTHER_NAMES.find((each) => each in definition);
  if (other !== undefined)
    throw new TypeError(`Tool ${name}: ${other} is not supported. Give the schema as inputSchema`);
}

/** Throws for methods that no handler is called for. */
export function checkRequestMethod(method: string): void {
  if (method !== 'initialize') return;
  const advice = 'see the options instructions and capabilities, and onState';
  throw new TypeError(`server.onRequest: the server responds to ${method} itself; ${advice}`);
}

/** Throws for methods that JSON-RPC reserves. */
export function checkMethod(method: unknown): void {
  checkName('Custom message', method);
  if ((method as string).startsWith('rpc.')) {
    throw new TypeError(`Method ${method as string}: JSON-RPC reserves names that begin with "rpc."`);
  }
}
