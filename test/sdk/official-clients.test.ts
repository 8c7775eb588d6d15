// The official clients against our server.
import { type Connection, sdkTransport } from '@hawser/mcp';
import { StdioClientTransport as StdioClientTransportV2 } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { afterAll, beforeAll, describe } from 'vitest';
import { WebSocket } from 'ws';
import type { Driver } from './driver.ts';
import { connectHawser } from './drivers/hawser.ts';
import { connectSdkV1 } from './drivers/sdk-v1.ts';
import { connectSdkV2 } from './drivers/sdk-v2.ts';
import { describeFeatures, type OpenPairing, pairing, STATELESS_CANNOT, TRAITS, type Traits } from './features.ts';
import { makeServer } from './fixtures/hawser-server.mjs';
import { awaitOneWebSocket, fixtureCommand, overMemory, overStdio, overWebSocket, type Way } from './ways.ts';

type Connect = (connection: Connection) => Promise<Driver>;

interface Maker {
  readonly name: string;
  readonly connect: Connect;
  readonly traits: Traits;
  readonly cannot?: { readonly [feature: string]: string };
}

// Client v2 turns -32002 into an error of its own, with the code of later revisions.
const TRAITS_FOR_V2 = { ...TRAITS.hawser, unknownResource: -32602 };

const clients: readonly Maker[] = [
  { name: 'our client', traits: TRAITS.hawser, connect: (connection) => connectHawser(connection) },
  {
    name: 'our client that asks for server/discover first',
    traits: { ...TRAITS.hawser, unknownResource: -32602 },
    cannot: STATELESS_CANNOT,
    connect: (connection) => connectHawser(connection, 'auto'),
  },
  { name: 'client v1', traits: TRAITS.hawser, connect: (connection) => connectSdkV1(sdkTransport(connection)) },
  { name: 'client v2', traits: TRAITS_FOR_V2, connect: (connection) => connectSdkV2(sdkTransport(connection)) },
  {
    name: 'client v2 that asks for server/discover first',
    traits: TRAITS_FOR_V2,
    cannot: STATELESS_CANNOT,
    connect: (connection) => connectSdkV2(sdkTransport(connection), 'auto'),
  },
];

for (const { name, connect, ...rest } of clients) {
  describeFeatures({ ...rest, name: `${name}, memory, our server`, open: () => inProcess(overMemory, connect) });
  describeFeatures({ ...rest, name: `${name}, WebSocket, our server`, open: () => inProcess(overWebSocket, connect) });
  describeFeatures({ ...rest, name: `${name}, stdio, our server`, open: () => spawned(connect) });
}

const cannot = {
  'progress that comes together with the answer is not lost':
    'the SDK runs notification handlers a microtask late, and drops progress whose answer it has seen by then',
};

describeFeatures({
  name: 'client v1 with its own stdio transport, our server',
  traits: TRAITS.hawser,
  cannot,
  open: () => alone(connectSdkV1(new StdioClientTransportV1(fixtureCommand('hawser-stdio')))),
});
describeFeatures({
  name: 'client v2 with its own stdio transport, our server',
  traits: TRAITS_FOR_V2,
  cannot,
  open: () => alone(connectSdkV2(new StdioClientTransportV2(fixtureCommand('hawser-stdio')))),
});
describeFeatures({
  // It asks on a process made for that alone, then begins anew on another.
  name: 'client v2 with its own stdio transport that asks for server/discover first, our server',
  traits: TRAITS_FOR_V2,
  cannot: { ...cannot, ...STATELESS_CANNOT },
  open: () => alone(connectSdkV2(new StdioClientTransportV2(fixtureCommand('hawser-stdio')), 'auto')),
});

describe('with a global WebSocket, which Node 20 lacks and v1 wants', () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  beforeAll(() => {
    Object.defineProperty(globalThis, 'WebSocket', { value: WebSocket, configurable: true, writable: true });
  });
  afterAll(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'WebSocket');
    else Object.defineProperty(globalThis, 'WebSocket', before);
  });
  describeFeatures({
    name: 'client v1 with its own WebSocket transport, our server',
    traits: TRAITS.hawser,
    cannot,
    open: async () => {
      const { url, accepted, close } = await awaitOneWebSocket();
      void accepted.then((connection) => makeServer().connect(connection));
      return alone(connectSdkV1(new WebSocketClientTransport(new URL(url))), close);
    },
  });
});

async function inProcess(open: () => Promise<Way>, connect: Connect): Promise<OpenPairing> {
  const way = await open();
  makeServer().connect(way.server);
  return alone(connect(way.client), () => way.close());
}

async function spawned(connect: Connect): Promise<OpenPairing> {
  const connection = overStdio('hawser-stdio');
  return pairing(connect(connection), async () => ({ exit: await connection.exit }));
}

function alone(connecting: Promise<Driver>, close = async () => {}): Promise<OpenPairing> {
  return pairing(connecting, async () => void (await close()));
}
