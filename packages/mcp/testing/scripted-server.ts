import type { Connection } from '../src/jsonrpc/connection.ts';
import type { Message, Request } from '../src/jsonrpc/message.ts';
import { memoryPair } from '../src/transports/memory/pair.ts';
import { Recorder } from './recorder.ts';

export type Asked = Request & { readonly params: { readonly [name: string]: unknown; readonly _meta: object } };

/** A server that is a script: what it answers to each request; `undefined` leaves the request open. */
export function scriptedServer(answer: (request: Asked) => { result: unknown } | { error: object } | undefined) {
  const [connection, theirs] = memoryPair({ copy: 'json' });
  const heard = new Recorder();
  const deliver = heard.message.bind(heard);
  heard.message = (message: Message) => {
    if (message.method !== undefined && message.id !== undefined) {
      const given = answer(message as Asked);
      if (given !== undefined) theirs.send({ jsonrpc: '2.0', id: message.id, ...given } as Message);
    }
    deliver(message);
  };
  theirs.start(heard);
  return { connection, theirs, heard } satisfies { connection: Connection; theirs: Connection; heard: Recorder };
}

export const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28', '2025-11-25'],
  capabilities: {},
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '2' } },
};

export const INITIALIZED = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '2' } };
