// The official client v2 speaks the stateless 2026-07-28 and the revisions before it: how it and our server find out
// which to use.
import { sdkTransport } from '@hawser/mcp';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { INFO } from './driver.ts';
import { makeServer } from './fixtures/hawser-server.mjs';
import { Recorder } from './recorder.ts';
import { overMemory } from './ways.ts';

test('client v2 begins with initialize unless told otherwise', async () => {
  const { client, sent, close } = await connect({});
  expect(sent()).toEqual(['initialize', 'notifications/initialized']);
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
  await close();
});

test('client v2 that asks for server/discover first learns all it needs from the answer', async () => {
  const { client, sent, close } = await connect({ versionNegotiation: { mode: 'auto' } });
  expect(sent()).toEqual(['server/discover']);
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  expect(client.getServerVersion()).toMatchObject({ name: 'showcase', version: '1.0.0' });
  expect(client.getInstructions()).toBe('Call echo first.');
  expect(client.getServerCapabilities()).toMatchObject({
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  });
  await close();
});

test('client v2 of a stateless revision that our server does not speak is told which it does', async () => {
  const connecting = connect({ versionNegotiation: { mode: { pin: '2099-01-01' } } });
  await expect(connecting).rejects.toMatchObject({
    code: -32022,
    data: {
      requested: '2099-01-01',
      supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    },
  });
});

test('client v2 pinned to 2026-07-28 gets it', async () => {
  const { client, close } = await connect({ versionNegotiation: { mode: { pin: '2026-07-28' } } });
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  await close();
});

async function connect(options: ClientOptions) {
  const way = await overMemory();
  makeServer().connect(way.server);
  const recorder = new Recorder(way.client, 'client');
  const client = new Client(INFO, options);
  await client.connect(sdkTransport(recorder));
  return {
    client,
    sent: () => recorder.emitted.map(({ message }) => message.method),
    close: () => client.close(),
  };
}
