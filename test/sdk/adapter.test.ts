// What the adapter does beyond carrying messages.
import { sdkTransport } from '@hawser/mcp';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, test } from 'vitest';
import { INFO } from './driver.ts';
import { makeServer } from './fixtures/hawser-server.mjs';
import { makeServer as makeServerV1 } from './fixtures/sdk-v1-server.mjs';
import { makeServer as makeServerV2 } from './fixtures/sdk-v2-server.mjs';
import { Recorder } from './recorder.ts';
import { overMemory, overWebSocket } from './ways.ts';

describe.each([
  ['server v1', () => makeServerV1()],
  ['server v2', () => makeServerV2()],
])('%s', (_name, makeOfficial) => {
  async function serve() {
    const way = await overMemory();
    const recorder = new Recorder(way.server, 'server');
    const errors: Error[] = [];
    const official = makeOfficial();
    official.server.onerror = (error: Error) => errors.push(error);
    await official.connect(sdkTransport(recorder));
    return { recorder, errors, close: () => way.close() };
  }

  test('what it cannot read is answered for it, reported to it, and the connection lives on', async () => {
    const { recorder, errors, close } = await serve();
    expect(await recorder.reactionTo('{ no JSON')).toMatchObject({ id: null, error: { code: -32700 } });
    expect(await recorder.reactionTo('{"jsonrpc":"2.0","id":1.5,"method":"ping"}')).toMatchObject({
      id: null,
      error: { code: -32600 },
    });
    expect(await recorder.reactionTo('{"jsonrpc":"1.0","id":"old","method":"ping"}')).toMatchObject({
      id: 'old',
      error: { code: -32600 },
    });
    expect(errors.map(({ message }) => message.split(':')[0])).toEqual([
      'Parse error',
      'Invalid request',
      'Invalid request',
    ]);
    expect(await recorder.reactionTo('{"jsonrpc":"2.0","id":1,"method":"ping"}')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    });
    await close();
  });

  test('a batch reaches it message by message', async () => {
    const { recorder, close } = await serve();
    const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
    await recorder.reactionTo(`[${ping(1)},${ping(2)}]`, 2);
    expect(recorder.emitted.map(({ message }) => message.id)).toEqual([1, 2]);
    await close();
  });
});

describe.each([
  ['client v1', () => new ClientV1(INFO)],
  ['client v2', () => new ClientV2(INFO)],
] as const)('%s', (_name, makeClient) => {
  test.each([
    ['memory', overMemory],
    ['WebSocket', overWebSocket],
  ])('over %s is told once that the server has gone, and its call fails', async (_way, open) => {
    const way = await open();
    const session = makeServer().connect(way.server);
    const client = makeClient() as ClientV2; // of the same shape, as far as it is used here
    let closings = 0;
    const closed = new Promise<void>((resolve) => {
      client.onclose = () => {
        closings += 1;
        resolve();
      };
    });
    await client.connect(sdkTransport(way.client));
    const waiting = new Promise<void>((resolve) => {
      client.fallbackNotificationHandler = async () => resolve();
    });
    const failed = expect(client.callTool({ name: 'wait' })).rejects.toThrow();
    await waiting;
    await session.close('enough');
    await failed;
    await closed;
    await way.close();
    await client.close();
    expect(closings).toBe(1);
  });
});
