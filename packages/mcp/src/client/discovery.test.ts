import { describe, expect, it } from 'vitest';
import type { Recorder } from '../../testing/recorder.ts';
import {
  type Asked,
  DISCOVERED,
  INITIALIZED,
  type ScriptedResponse,
  scriptedServer,
} from '../../testing/scripted-server.ts';
import { NetworkError, RequestTimeout } from '../jsonrpc/errors.ts';
import { HttpError } from '../protocol/http-error.ts';
import { Client, type ClientOptions } from './client.ts';

const error = (code: number, data?: object): ScriptedResponse => ({ error: { code, message: 'no', data } });

const asked = ({ messages }: Recorder) => messages.filter(({ id }) => id !== undefined).map(({ method }) => method);

/** A client and a server with these responses to `server/discover`; `initialize` succeeds. */
async function connect(discover: (request: Asked) => ScriptedResponse, options: ClientOptions = {}) {
  const server = scriptedServer((request) =>
    request.method === 'initialize' ? { result: INITIALIZED } : discover(request),
  );
  const client = new Client({ name: 'c', version: '1' }, { probeTimeout: 20, ...options });
  const outcome = await client.connect(server.connection).catch((reason: Error) => reason);
  return { outcome, methods: asked(server.received), ...server };
}

describe('a client that does not know its server', () => {
  it('asks server/discover, and needs nothing more when that succeeds', async () => {
    const { outcome, methods, received } = await connect(() => ({
      result: { ...DISCOVERED, instructions: 'be brief' },
    }));
    expect(outcome).toMatchObject({
      isStateless: true,
      state: 'ready',
      protocolVersion: '2026-07-28',
      serverInfo: { name: 's', version: '2' },
      instructions: 'be brief',
    });
    expect(methods).toEqual(['server/discover']);
    expect((received.messages[0] as Asked).params).toEqual({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
      },
    });
  });

  it.each<[string, ScriptedResponse]>([
    ['an unknown method', error(-32601)],
    ['invalid params', error(-32602)],
    ['not initialized', error(-32600)],
    ['a code of its own', error(-32000)],
    ['HTTP 404', { refused: new HttpError(404, 'no') }],
    ['an unsupported version, with sessions alone', error(-32022, { supported: ['2025-11-25'] })],
    ['an empty result', { result: {} }],
    ['null', { result: null }],
    ['a result with sessions alone', { result: { ...DISCOVERED, supportedVersions: ['2025-11-25'] } }],
    ['nothing in time', undefined],
  ])('initializes on the same connection when the response is %s', async (_, response) => {
    const { outcome, methods } = await connect(() => response);
    expect(outcome).toMatchObject({ isStateless: false, protocolVersion: '2025-11-25' });
    expect(methods).toEqual(['server/discover', 'initialize']);
  });

  it.each<[string, ScriptedResponse, string]>([
    ['HTTP 401', { refused: new HttpError(401, 'no') }, 'no'],
    ['HTTP 503', { refused: new HttpError(503, 'no') }, 'no'],
    ['a network error', { refused: new NetworkError('no', { code: 'ECONNREFUSED' }) }, 'no'],
    ['a header mismatch', error(-32020), 'no'],
    ['later versions alone', error(-32022, { supported: ['2030-01-01'] }), 'The server speaks MCP 2030-01-01; this'],
  ])('fails when the response is %s', async (_, response, message) => {
    const { outcome, methods, received } = await connect(() => response);
    expect((outcome as Error).message).toContain(message);
    expect(methods).toEqual(['server/discover']);
    await received.until(({ closings }) => closings.length > 0);
  });

  it('asks a second time in the version that the server names, even if that is the same', async () => {
    const { outcome, methods } = await connect(({ id }) =>
      id === 1 ? error(-32022, { supported: ['2026-07-28'] }) : { result: DISCOVERED },
    );
    expect(outcome).toMatchObject({ isStateless: true });
    expect(methods).toEqual(['server/discover', 'server/discover']);
  });

  it('discovers a stateless server that was too slow for the probe and refuses initialize', async () => {
    let asked = 0;
    const server = scriptedServer(({ method }) => {
      if (method === 'initialize') return { error: { code: -32601, message: 'Method not found' } };
      asked += 1;
      return asked === 1 ? undefined : { result: DISCOVERED };
    });
    const client = new Client({ name: 'c', version: '1' }, { probeTimeout: 20 });
    expect(await client.connect(server.connection)).toMatchObject({ isStateless: true });
  });

  it('says what to do about a server that ends when it is probed', async () => {
    const { connection, theirs } = scriptedServer(() => {
      void theirs.close('panic');
      return undefined;
    });
    await expect(new Client({ name: 'c', version: '1' }).connect(connection)).rejects.toThrow(
      'panic (if the server closes on server/discover, use the option negotiation: "initialize")',
    );
  });

  it('drops a response to the probe that comes too late', async () => {
    const { outcome, theirs, received } = await connect(() => undefined);
    theirs.send({ jsonrpc: '2.0', id: 1, result: DISCOVERED });
    theirs.send({ jsonrpc: '2.0', id: 'x', method: 'ping' });
    await received.until(({ messages }) => messages.some(({ id }) => id === 'x'));
    expect(outcome).toMatchObject({ isStateless: false, state: 'ready' });
  });
});

describe('a client that knows its server', () => {
  it.each<[ClientOptions, string[]]>([
    [{ negotiation: 'initialize' }, ['initialize']],
    [{ protocolVersion: '2025-06-18' }, ['initialize']],
    [{ negotiation: 'discover' }, ['server/discover']],
    [{ protocolVersion: '2026-07-28' }, ['server/discover']],
  ])('by the options %j begins with %j', async (options, methods) => {
    expect((await connect(() => ({ result: DISCOVERED }), options)).methods).toEqual(methods);
  });

  it('to be stateless fails when it is not', async () => {
    const { outcome } = await connect(() => error(-32601), { negotiation: 'discover' });
    expect((outcome as Error).message).toContain('did not respond to server/discover as a stateless server does');
  });

  it('to be stateless waits for it as long as for any response', async () => {
    const { outcome } = await connect(() => undefined, { negotiation: 'discover', timeout: 30 });
    expect((outcome as Error).message).toContain('did not respond to server/discover');
    expect(outcome).not.toBeInstanceOf(RequestTimeout);
  });

  it('by name does not probe again, and notices when the server has changed its kind', async () => {
    const client = new Client({ name: 'c', version: '1' }, { probeTimeout: 20 });
    const talk = async (kind: 'session' | 'stateless') => {
      const { connection, received } = scriptedServer(({ method }) => {
        if (method === 'initialize' && kind === 'session') return { result: INITIALIZED };
        if (method === 'server/discover' && kind === 'stateless') return { result: DISCOVERED };
        return { error: { code: -32601, message: 'Method not found' } };
      });
      const { isStateless } = await client.connect(connection, { server: 'editor' });
      expect(isStateless).toBe(kind === 'stateless');
      return asked(received);
    };
    expect(await talk('session')).toEqual(['server/discover', 'initialize']);
    expect(await talk('session')).toEqual(['initialize']);
    expect(await talk('stateless')).toEqual(['initialize', 'server/discover']);
    expect(await talk('stateless')).toEqual(['server/discover']);
    expect(await talk('session')).toEqual(['server/discover', 'initialize']);
  });
});
