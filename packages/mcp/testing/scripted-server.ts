import type { Connection, Receiver } from '../src/jsonrpc/connection.ts';
import type { Message, Request } from '../src/jsonrpc/message.ts';
import { memoryPair } from '../src/transports/memory/pair.ts';
import { Recorder } from './recorder.ts';

export type Asked = Request & { readonly params: { readonly [name: string]: unknown; readonly _meta: object } };

export type ScriptedResponse = { result: unknown } | { error: object } | { refused: Error } | undefined;

/**
 * A server that is a script: its response to each request. `undefined` leaves the request open; `refused` fails it as
 * a transport does that cannot deliver it.
 */
export function scriptedServer(response: (request: Asked) => ScriptedResponse) {
  const [connection, theirs] = memoryPair({ copy: 'json' });
  let receiver: Receiver | undefined;
  const start = connection.start.bind(connection);
  connection.start = (started) => {
    receiver = started;
    start(started);
  };
  const received = new Recorder();
  const deliver = received.message.bind(received);
  received.message = (message: Message) => {
    if (message.method !== undefined && message.id !== undefined) {
      const given = response(message as Asked);
      if (given !== undefined && 'refused' in given) receiver?.refused(message.id, given.refused);
      else if (given !== undefined) theirs.send({ jsonrpc: '2.0', id: message.id, ...given } as Message);
    }
    deliver(message);
  };
  theirs.start(received);
  return { connection, theirs, received } satisfies { connection: Connection; theirs: Connection; received: Recorder };
}

export const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28', '2025-11-25'],
  capabilities: {},
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '2' } },
};

export const INITIALIZED = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '2' } };
