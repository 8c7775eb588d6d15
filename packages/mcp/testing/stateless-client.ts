import { Client, type ClientOptions } from '../src/client/client.ts';
import type { Message } from '../src/jsonrpc/message.ts';
import type { ServerCapabilities } from '../src/protocol/types.ts';
import { type Asked, DISCOVERED, scriptedServer } from './scripted-server.ts';

export type ScriptedResponse = { result: unknown } | { error: object } | undefined;

export const text = (words: string) => ({ resultType: 'complete', content: [{ type: 'text', text: words }] });
export const done = (words: string): ScriptedResponse => ({ result: text(words) });
const elicitation = (field: string) => ({
  method: 'elicitation/create',
  params: { message: field, requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } } } },
});
export const inputRequired = (...fields: string[]) => ({
  resultType: 'input_required',
  inputRequests: Object.fromEntries(fields.map((field) => [field, elicitation(field)])),
});

/** A session with a stateless server that gives these responses. */
export async function connect(
  respond: (request: Asked) => ScriptedResponse,
  options: ClientOptions = {},
  capabilities: ServerCapabilities = {},
) {
  const server = scriptedServer((request) =>
    request.method === 'server/discover' ? { result: { ...DISCOVERED, capabilities } } : respond(request),
  );
  const errors: string[] = [];
  const client = new Client(
    { name: 'c', version: '1' },
    { negotiation: 'discover', onError: ({ message }) => errors.push(message), ...options },
  );
  const session = await client.connect(server.connection);
  /** The requests after the discovery. */
  const asked = (method?: string) =>
    server.received.messages
      .filter(({ id, method: asked }) => id !== undefined && asked !== 'server/discover')
      .filter((message) => method === undefined || message.method === method) as Asked[];
  const tell = (method: string, params: object) => server.theirs.send({ jsonrpc: '2.0', method, params } as Message);
  return { ...server, client, session, asked, tell, errors };
}

export const elicit: NonNullable<ClientOptions['elicit']> = ({ message }) => ({
  action: 'accept',
  content: { [message]: `my ${message}` },
});
