import { describe, expect, it, vi } from 'vitest';
import { Recorder } from '../../testing/recorder.ts';
import * as entry from '../client.ts';
import * as core from '../index.ts';
import { ConnectionClosed, RequestTimeout } from '../jsonrpc/errors.ts';
import type { Request } from '../jsonrpc/message.ts';
import { memoryPair } from '../transports/memory/pair.ts';
import { Client, type ClientOptions } from './client.ts';

/** A client whose server is a script: it responds to `initialize` with what it is given, and then whatever the test sends. */
function scripted(initializeResult: object, options: ClientOptions = {}) {
  const [ours, theirs] = memoryPair({ copy: 'json' });
  const wire = new Recorder();
  theirs.start(wire);
  const connecting = new Client(
    { name: 'c', version: '1', title: 'C' },
    { negotiation: 'initialize', ...options },
  ).connect(ours);
  const initialized = wire
    .until(({ messages }) => messages.length > 0)
    .then(() => theirs.send({ jsonrpc: '2.0', id: (wire.messages[0] as Request).id, result: initializeResult }));
  return { connecting, initialized, wire, theirs };
}

const RESULT = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '2' } };

describe('a client', () => {
  it('offers its newest revision, keeps what the server says of itself, and sends initialized', async () => {
    const { connecting, wire } = scripted({ ...RESULT, instructions: 'be brief' });
    const session = await connecting;
    expect(wire.messages[0]).toMatchObject({
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1', title: 'C' } },
    });
    await wire.until(({ messages }) => messages.length === 2);
    expect(wire.messages[1]).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(session).toMatchObject({
      state: 'ready',
      serverInfo: { name: 's', version: '2' },
      instructions: 'be brief',
      protocolVersion: '2025-11-25',
    });
  });

  it('accepts an older revision of the server and asks for the one in its options', async () => {
    const { connecting, wire } = scripted(
      { ...RESULT, protocolVersion: '2024-11-05' },
      { protocolVersion: '2025-03-26' },
    );
    expect((await connecting).protocolVersion).toBe('2024-11-05');
    expect(wire.messages[0]).toMatchObject({
      params: { protocolVersion: '2025-03-26', clientInfo: { name: 'c', version: '1' } },
    });
  });

  it('closes the connection when the server speaks no revision it knows', async () => {
    const { connecting, wire } = scripted({ ...RESULT, protocolVersion: '1999-01-01' });
    await expect(connecting).rejects.toThrow(
      'The server speaks MCP 1999-01-01; this client speaks 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25',
    );
    await wire.until(({ closings }) => closings.length > 0);
  });

  it('rejects when the server responds to initialize with null', async () => {
    const [ours, theirs] = memoryPair({ copy: 'json' });
    const wire = new Recorder();
    theirs.start(wire);
    const connecting = new Client({ name: 'c', version: '1' }, { negotiation: 'initialize' }).connect(ours);
    const refused = expect(connecting).rejects.toThrow('The server speaks MCP (no version)');
    await wire.until(({ messages }) => messages.length > 0);
    theirs.send({ jsonrpc: '2.0', id: (wire.messages[0] as Request).id, result: null });
    await refused;
  });

  it('finds capabilities that a server puts inside serverInfo', async () => {
    const capabilities = { tools: {} };
    const { connecting } = scripted({
      protocolVersion: '2024-11-05',
      serverInfo: { ...RESULT.serverInfo, capabilities },
    });
    expect((await connecting).serverCapabilities).toEqual(capabilities);
  });

  it('an initialize that times out is not cancelled on the wire, and the connection closes', async () => {
    const [ours, theirs] = memoryPair({ copy: 'json' });
    const wire = new Recorder();
    theirs.start(wire);
    await expect(
      new Client({ name: 'c', version: '1' }, { negotiation: 'initialize', timeout: 10 }).connect(ours),
    ).rejects.toThrow(RequestTimeout);
    await wire.until(({ closings }) => closings.length > 0);
    expect(wire.messages.map(({ method }) => method)).toEqual(['initialize']);
  });

  it('a call that times out is cancelled on the wire, and progress gives it more time', async () => {
    const { connecting, wire, theirs } = scripted(RESULT);
    const session = await connecting;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const received: unknown[] = [];
      const call = session.callTool('slow', {}, { timeout: 1000, onProgress: (progress) => received.push(progress) });
      const outcome = call.catch((error) => error);
      await wire.until(({ messages }) => messages.length === 3);
      const request = wire.messages[2] as Request & { params: { _meta: { progressToken: number } } };
      const { progressToken } = request.params._meta;
      await vi.advanceTimersByTimeAsync(900);
      theirs.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
      theirs.send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'other', progress: 1 },
      });
      theirs.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 'much' } });
      await vi.advanceTimersByTimeAsync(900);
      expect(received).toEqual([{ progress: 1 }]);
      expect(wire.messages).toHaveLength(3);
      await vi.advanceTimersByTimeAsync(200);
      expect(await outcome).toBeInstanceOf(RequestTimeout);
      await wire.until(({ messages }) => messages.length === 4);
      expect(wire.messages[3]).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: request.id, reason: 'tools/call got no response within 1000 ms' },
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes an error of null beside a result, and a nextCursor of null, as absent', async () => {
    const { connecting, wire, theirs } = scripted(RESULT);
    const session = await connecting;
    const tools = session.listTools();
    await wire.until(({ messages }) => messages.length === 3);
    const { id } = wire.messages[2] as Request;
    const result = { tools: [{ name: 't', inputSchema: { type: 'object' } }], nextCursor: null };
    theirs.send({ jsonrpc: '2.0', id, result, error: null });
    expect(await tools).toEqual(result.tools);
  });

  it('does not go round in circles when a server repeats its cursor', async () => {
    const { connecting, wire, theirs } = scripted(RESULT);
    const session = await connecting;
    const outcome = session.listTools().catch((error: Error) => error.message);
    for (const n of [3, 4]) {
      await wire.until(({ messages }) => messages.length === n);
      const { id } = wire.messages[n - 1] as Request;
      theirs.send({ jsonrpc: '2.0', id, result: { tools: [], nextCursor: 'again' } });
    }
    expect(await outcome).toBe('The server repeats the cursor "again" of tools/list');
  });

  it('reports a response without the list that was asked for', async () => {
    const { connecting, wire, theirs } = scripted(RESULT);
    const session = await connecting;
    const outcome = session.listPrompts().catch((error: Error) => error.message);
    await wire.until(({ messages }) => messages.length === 3);
    theirs.send({ jsonrpc: '2.0', id: (wire.messages[2] as Request).id, result: {} });
    expect(await outcome).toBe(
      "The server's response to prompts/list is malformed: prompts must be an array, got undefined",
    );
  });

  it('rejects what is open when the server goes away, and reports the reason', async () => {
    const { connecting, theirs } = scripted(RESULT);
    const session = await connecting;
    const call = session.callTool('x');
    await theirs.close('power cut');
    await expect(call).rejects.toThrow(ConnectionClosed);
    expect((await session.closed).message).toContain('power cut');
    expect(session.state).toBe('closed');
    await expect(session.ping()).rejects.toThrow('power cut');
  });

  it('reports what the server could not read', async () => {
    const errors: string[] = [];
    const { connecting, wire, theirs } = scripted(RESULT, { onError: ({ message }) => errors.push(message) });
    await connecting;
    theirs.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
    theirs.send({ jsonrpc: '2.0', id: 5, method: 'ping' });
    await wire.until(({ messages }) => messages.some(({ id }) => id === 5));
    expect(errors).toEqual(['The peer could not read one of our messages: Parse error (-32700)']);
  });
});

it('every error that a call can end with is exported beside the client', () => {
  const { RpcError, HttpError, NetworkError, InvalidResponse, LimitExceeded, RequestTimeout } = entry;
  const exported = { RpcError, HttpError, NetworkError, InvalidResponse, LimitExceeded, RequestTimeout };
  expect(core).toMatchObject(exported);
  expect(Object.values(exported)).not.toContain(undefined);
});
