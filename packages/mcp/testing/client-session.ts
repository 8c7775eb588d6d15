import { Client, type ClientOptions } from '../src/client/client.ts';
import { failOnEscapes } from './fail-on-escapes.ts';
import { type Asked, DISCOVERED, INITIALIZED, scriptedServer } from './scripted-server.ts';

failOnEscapes();

export type ScriptedResponse = { result: unknown } | { error: object } | undefined;

/** A session of this revision with a server that gives these responses. */
export async function connect(
  version: string,
  response: (request: Asked) => ScriptedResponse,
  options: ClientOptions = {},
) {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
  const server = scriptedServer((request) => {
    if (request.method === 'initialize') return { result: INITIALIZED };
    if (request.method === 'server/discover') return { result: { ...DISCOVERED, capabilities } };
    return response(request);
  });
  const errors: string[] = [];
  const client = new Client(
    { name: 'c', version: '1' },
    { protocolVersion: version, onError: ({ message }) => errors.push(message), ...options },
  );
  const session = await client.connect(server.connection);
  return { ...server, client, session, errors };
}

export const SESSION = '2025-11-25';
export const STATELESS = '2026-07-28';
export const VERSIONS = [SESSION, STATELESS];
export const tool = (more: object) => ({ name: 't', inputSchema: { type: 'object' }, ...more });

/** A list without end, with these tools on every page. */
export function endless(tools: readonly object[] = []) {
  let page = 0;
  const response = (): ScriptedResponse => {
    page += 1;
    return { result: { tools, nextCursor: `${page}` } };
  };
  return { response, pages: () => page };
}

/** The message of what a call rejects with. */
export async function failure(call: Promise<unknown>): Promise<string> {
  return call.then(
    (value) => `no failure: ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  );
}
