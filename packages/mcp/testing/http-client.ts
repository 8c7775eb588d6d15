import { afterEach } from 'vitest';
import type { Connection } from '../src/jsonrpc/connection.ts';
import type { Message, RequestId } from '../src/jsonrpc/message.ts';
import { type ConnectHttpOptions, connectHttp } from '../src/transports/http/client/connect.ts';
import { Recorder } from './recorder.ts';
import { type Call, ScriptedEndpoint } from './scripted-endpoint.ts';

/** Done after the test, last first. */
export const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

/** How the clients of these tests send requests. A test file that sets `fetch` runs the tests of others with it. */
export const sender: { fetch?: typeof fetch } = {};

/** A connection to an endpoint with these responses. Both are closed after the test. */
export async function open(response: (call: Call) => void, options: ConnectHttpOptions = {}, path = '') {
  const endpoint = await ScriptedEndpoint.open(response);
  const connection = connectHttp(endpoint.url + path, { ...sender, ...options });
  cleanUp.push(() => endpoint.close()); // undone in the other order
  cleanUp.push(() => connection.close());
  const received = new Recorder();
  connection.start(received);
  return { endpoint, connection, received };
}

export const ask = (id: number, method = 'tools/list', params: object = {}): Message =>
  ({ jsonrpc: '2.0', id, method, params }) as Message;
const initialize = ask(1, 'initialize', { protocolVersion: '2025-11-25' });
const initialized: Message = { jsonrpc: '2.0', method: 'notifications/initialized' };
/** A stateless request. */
export const standalone = (id: number, method = 'tools/call', params: object = {}) =>
  ask(id, method, { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } });
export const responses = ({ messages }: Recorder) => messages.filter(({ method }) => method === undefined);

/** The reason why a request was refused. */
export async function refusal(received: Recorder, id: RequestId | undefined = 1): Promise<Error | undefined> {
  const found = () => received.refusals.find((refused) => refused.id === id);
  await received.until(() => found() !== undefined);
  return found()?.reason;
}

/** The responses of a server with sessions. */
export function serveSession(call: Call, id = 's-1'): void {
  const { method } = call.message;
  if (call.method === 'GET') call.status(405);
  else if (call.method === 'DELETE') call.status(200);
  else if (method === 'initialize') call.result({ protocolVersion: '2025-11-25' }, { 'Mcp-Session-Id': id });
  else if (call.message.id === undefined) call.status(202);
  else call.result({});
}

/** Sends what begins a session. */
export async function begin(connection: Connection, received: Recorder): Promise<void> {
  connection.send(initialize);
  await received.until((recorder) => responses(recorder).length === 1);
  connection.send(initialized);
}
