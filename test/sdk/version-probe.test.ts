// The official client v2 can speak 2026-07-28, which our server does not yet: how they come together all the same.
import { sdkTransport } from '@hawser/mcp';
import { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { INFO } from './driver.ts';
import { connectSdkV2 } from './drivers/sdk-v2.ts';
import { makeServer } from './fixtures/hawser-server.mjs';
import { Recorder } from './recorder.ts';
import { overMemory } from './ways.ts';

test('client v2 begins with initialize unless told otherwise', async () => {
  const { client, close } = await serve();
  const driver = await connectSdkV2(sdkTransport(client));
  expect(methods(client)).toEqual(['initialize', 'notifications/initialized']);
  await driver.close();
  await close();
});

test('client v2 that asks for server/discover first is refused, and initializes on the same connection', async () => {
  const { client, server, close } = await serve();
  const driver = await connectSdkV2(sdkTransport(client), 'auto');
  expect(methods(client)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  expect(server.emitted[0]?.message).toEqual({
    jsonrpc: '2.0',
    id: client.emitted[0]?.message.id,
    error: { code: -32600, message: 'Not initialized: send initialize before server/discover' },
  });
  expect(driver.agreed().protocolVersion).toBe('2025-11-25');
  await driver.close();
  await close();
});

test('client v2 pinned to 2026-07-28 gives up, and the session ends', async () => {
  const { client, session, close } = await serve();
  const pinned = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await expect(pinned.connect(sdkTransport(client))).rejects.toMatchObject({ code: 'ERA_NEGOTIATION_FAILED' });
  expect(methods(client)).toEqual(['server/discover']);
  await session.closed;
  await close();
});

async function serve() {
  const way = await overMemory();
  const server = new Recorder(way.server, 'server');
  const client = new Recorder(way.client, 'client');
  return { client, server, session: makeServer().connect(server), close: () => way.close() };
}

function methods({ emitted }: Recorder): (string | undefined)[] {
  return emitted.map(({ message }) => message.method);
}
