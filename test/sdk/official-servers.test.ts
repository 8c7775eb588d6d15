// Our client against the official servers.
import { type Connection, sdkTransport } from '@hawser/mcp';
import { connectHawser } from './drivers/hawser.ts';
import { describeFeatures, type OpenPairing, pairing, TRAITS } from './features.ts';
import { makeServer as makeServerV1 } from './fixtures/sdk-v1-server.mjs';
import { makeServer as makeServerV2 } from './fixtures/sdk-v2-server.mjs';
import { overMemory, overStdio, overWebSocket, type Way } from './ways.ts';

type Serve = (connection: Connection) => Promise<void>;

const servers = [
  {
    name: 'server v1',
    fixture: 'sdk-v1-stdio',
    traits: TRAITS.sdkV1,
    serve: (connection: Connection) => makeServerV1().connect(sdkTransport(connection)),
  },
  {
    name: 'server v2',
    fixture: 'sdk-v2-stdio',
    traits: TRAITS.sdkV2,
    serve: (connection: Connection) => makeServerV2().connect(sdkTransport(connection)),
  },
];

for (const { name, fixture, traits, serve } of servers) {
  describeFeatures({ name: `our client, memory, ${name}`, traits, open: () => inProcess(overMemory, serve) });
  describeFeatures({ name: `our client, WebSocket, ${name}`, traits, open: () => inProcess(overWebSocket, serve) });
  describeFeatures({ name: `our client, stdio, ${name}`, traits, open: () => spawned(fixture, 'adapter') });
  describeFeatures({
    name: `our client, stdio, ${name} with its own stdio transport`,
    traits,
    open: () => spawned(fixture, 'own'),
  });
}

describeFeatures({
  name: 'our client, stdio, server v2 that chooses the revision by the first message',
  traits: TRAITS.sdkV2,
  open: () => spawned('sdk-v2-stdio', 'serve'),
});

async function inProcess(open: () => Promise<Way>, serve: Serve): Promise<OpenPairing> {
  const way = await open();
  await serve(way.server);
  return pairing(connectHawser(way.client), async () => void (await way.close()));
}

async function spawned(fixture: string, transport: 'own' | 'adapter' | 'serve'): Promise<OpenPairing> {
  const connection = overStdio(fixture, transport);
  return pairing(connectHawser(connection), async () => ({ exit: await connection.exit }));
}
