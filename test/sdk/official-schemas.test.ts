// The oracle: everything our server and our client write, held against the official schemas and against what each
// revision knows.
import { memoryPair, type Server, type ServerSession } from '@hawser/mcp';
import type { ClientOptions, ClientSession } from '@hawser/mcp/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { askTheClient, elicitations, makeClient, makeEverything, samplingParams } from './everything.ts';
import { describeMessage, type Emitted, findings, isIn, NOTIFICATIONS, REQUESTS } from './message-check.ts';
import { Recorder } from './recorder.ts';
import { knowsKind, UNIONS, VERSIONS, type Version } from './revision-members.ts';

describe.each(VERSIONS)('a session in %s', (version) => {
  let emitted: readonly Emitted[];
  beforeAll(async () => {
    emitted = await converse(version);
  });

  for (const from of ['server', 'client'] as const) {
    test(`every message of our ${from} keeps to the official schemas and to the revision`, () => {
      const own = emitted.filter((one) => one.from === from);
      expect(own.length).toBeGreaterThan(20);
      expect(findings(own)).toEqual([]);
    });
  }

  test('every method of the revision was used and answered, and every notification sent', () => {
    const sides = (from: string) => (from === 'both' ? ['client', 'server'] : [from]);
    const requests = Object.entries(REQUESTS)
      .filter(([, { since }]) => isIn(version, since))
      .flatMap(([method, { from }]) =>
        sides(from).flatMap((side) => [`${side} asks ${method}`, `${other(side)} answers ${method}`]),
      );
    const notifications = Object.entries(NOTIFICATIONS)
      .filter(([, { since }]) => isIn(version, since))
      .flatMap(([method, { from }]) => sides(from).map((side) => `${side} tells ${method}`));
    const seen = new Set(emitted.map(describeMessage));
    expect([...requests, ...notifications].filter((message) => !seen.has(message))).toEqual([]);
  });

  test('every kind of content of the revision was sent by a tool and in a prompt', () => {
    const known = Object.entries(UNIONS.Content ?? {}).filter(([, kind]) => knowsKind(version, kind));
    const types = known.map(([type]) => type).sort();
    expect(contentTypes(emitted, 'tools/call', ({ content }) => content as object[])).toEqual(types);
    const inPrompt = ({ messages }: { [name: string]: unknown }) =>
      (messages as { content: object }[]).map(({ content }) => content);
    expect(contentTypes(emitted, 'prompts/get', inPrompt)).toEqual(types);
  });

  test(`a batch is ${version === '2025-03-26' ? 'answered' : 'refused'} by both sides`, () => {
    const answered = emitted.filter(({ message }) => message.id === 'b1' || message.id === 'b2');
    const codes = answered.map(({ from, message }) => `${from} ${message.id} ${message.error?.code ?? 'ok'}`);
    const both = ['server b1 ok', 'server b2 -32601', 'client b1 ok', 'client b2 -32601'];
    expect(codes).toEqual(version === '2025-03-26' ? both : []);
  });

  test('every kind of error was made', () => {
    const codes = (from: string) => {
      const found = emitted.flatMap(({ from: side, message }) =>
        side === from && message.error ? [message.error.code] : [],
      );
      return [...new Set(found)].sort((a, b) => a - b);
    };
    expect(codes('server')).toEqual([-32700, -32603, -32602, -32601, -32600, -32099, -32002, -32000]);
    expect(codes('client')).toEqual([-32700, -32603, -32601, -32600]);
  });
});

test.each(VERSIONS.slice(0, -1))('what %s does not let a server ask is refused before it is sent', async (version) => {
  const { server, serverSession, close } = await connect(version);
  const tooNew = elicitations('2025-11-25').slice(elicitations(version).length);
  for (const params of tooNew) await expect(serverSession.elicit(params)).rejects.toThrow(/is not part of MCP/);
  expect(server.emitted.filter(({ message }) => message.method === 'elicitation/create')).toEqual([]);
  await close();
});

test('a client is neither asked by URL nor for tools in sampling unless it has declared them', async () => {
  const { server, serverSession, close } = await connect('2025-11-25', { capabilities: {} });
  const [, , byUrl] = elicitations('2025-11-25');
  const [, withTools] = samplingParams('2025-11-25');
  if (byUrl === undefined || withTools === undefined) throw new Error('there are no such params');
  await expect(serverSession.elicit(byUrl)).rejects.toThrow('everyone does not offer elicitation by url');
  await expect(serverSession.createMessage(withTools)).rejects.toThrow('everyone does not offer sampling with tools');
  expect(server.emitted.filter(({ message }) => /^(elicitation|sampling)\//.test(message.method ?? ''))).toEqual([]);
  await close();
});

interface Connected {
  readonly mcp: Server;
  readonly server: Recorder;
  readonly client: Recorder;
  readonly serverSession: ServerSession;
  readonly session: ClientSession;
  readonly rootsChanged: () => void;
  close(): Promise<void>;
}

async function connect(version: Version, options: ClientOptions = {}): Promise<Connected> {
  const [clientEnd, serverEnd] = memoryPair({ copy: 'json' });
  const client = new Recorder(clientEnd, 'client');
  const server = new Recorder(serverEnd, 'server');
  const mcp = makeEverything();
  const serverSession = mcp.connect(server);
  await server.reactionTo('{ this is no JSON');
  await server.reactionTo('{"jsonrpc":"2.0","id":"early","method":"tools/list"}');
  const everyone = makeClient(version, options);
  const session = await everyone.connect(client);
  const rootsChanged = () => everyone.rootsChanged();
  return { mcp, server, client, serverSession, session, rootsChanged, close: () => everyone.close() };
}

/** A session that says everything there is to say. */
async function converse(version: Version): Promise<readonly Emitted[]> {
  const connected = await connect(version);
  const { server, client, serverSession, session, rootsChanged, close } = connected;
  expect(session.protocolVersion).toBe(version);
  await useTools(session);
  await useTheRest(session);
  await cancelBothWays(connected);
  await askTheClient(serverSession, version);
  rootsChanged();
  await breakRules(server);
  for (const text of UNREADABLE) await client.reactionTo(text);
  await client.reactionTo('{"jsonrpc":"2.0","id":"x","method":"no/such/method"}');
  await close();
  return [...server.emitted, ...client.emitted];
}

async function useTools(session: ClientSession): Promise<void> {
  await session.ping();
  await session.health();
  await session.listTools();
  for (const name of ['all_content', 'fails', 'silent', 'change_lists']) await session.callTool(name);
  await session.callTool('structured', { n: 1 });
  await session.callTool('progress', {}, { onProgress: () => {} });
  await attempt(session.callTool('structured', { n: 'one' }));
  for (const name of ['broken_promise', 'refuses', 'unwritable', 'no_such_tool']) await attempt(session.callTool(name));
}

async function useTheRest(session: ClientSession): Promise<void> {
  await session.listResources();
  await session.listResourceTemplates();
  for (const uri of ['test://text', 'test://blob', 'test://several', 'test://items/7']) await session.readResource(uri);
  await attempt(session.readResource('test://nowhere'));
  await session.subscribe('test://text');
  await session.request('test/touch', { uri: 'test://text' });
  await session.unsubscribe('test://text');
  await session.listPrompts();
  await session.getPrompt('all_content', { who: 'Ada' });
  await session.getPrompt('plain');
  for (const name of ['all_content', 'throws', 'no_such_prompt']) await attempt(session.getPrompt(name));
  const context = { arguments: { other: 'settled' } };
  const prompt = { type: 'ref/prompt', name: 'all_content', title: 'All content' } as const;
  await session.complete({ ref: prompt, argument: { name: 'who', value: '' }, context });
  const template = { type: 'ref/resource', uri: 'test://items/{id}' } as const;
  await session.complete({ ref: template, argument: { name: 'id', value: '' } });
  await session.setLogLevel('info');
  await session.request('test/double', { n: 1 });
  await attempt(session.request('no/such/method'));
  session.notify('test/said', { text: 'psst' });
}

async function cancelBothWays({ mcp, serverSession, session }: Connected): Promise<void> {
  const call = new AbortController();
  const slow = new Promise((resolve) => session.onNotification('test/slow', resolve));
  const called = attempt(session.callTool('slow', {}, { signal: call.signal }));
  await slow;
  call.abort(new Error('changed my mind'));
  await called;
  const sampling = new AbortController();
  mcp.onNotification('test/sampling', () => sampling.abort(new Error('no longer wanted')));
  await attempt(serverSession.createMessage({ messages: [], maxTokens: 1 }, { signal: sampling.signal }));
}

const UNREADABLE = [
  '{ this is no JSON',
  '"neither is this a message"',
  '{"jsonrpc":"1.0","id":"old","method":"ping"}',
  '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
  '[]',
  '[{"jsonrpc":"2.0","id":"b1","method":"ping"},{"jsonrpc":"2.0","id":"b2","method":"no/such/method"},7]',
];

async function breakRules(server: Recorder): Promise<void> {
  for (const text of UNREADABLE) await server.reactionTo(text);
  await server.reactionTo(
    '{"jsonrpc":"2.0","id":"again","method":"initialize","params":{"protocolVersion":"2024-11-05"}}',
  );
  const slow = (id: string) => `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"slow"}}`;
  const ids = Array.from({ length: 8 }, (_, n) => `slow ${n}`);
  for (const id of ids) server.inject(slow(id));
  await server.reactionTo(slow('one too many'));
  await server.reactionTo(slow('slow 0'));
  for (const requestId of ids) {
    server.inject(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }));
  }
}

async function attempt(promise: Promise<unknown>): Promise<void> {
  await promise.catch(() => {}); // what is refused is looked at on the wire
}

function other(side: string): string {
  return side === 'client' ? 'server' : 'client';
}

function contentTypes(
  emitted: readonly Emitted[],
  method: string,
  contentOf: (result: { [name: string]: unknown }) => readonly object[],
): string[] {
  const results = emitted.filter(({ answers, message }) => answers === method && message.result !== undefined);
  const blocks = results.flatMap(({ message }) => contentOf(message.result as { [name: string]: unknown }));
  return [...new Set(blocks.map((block) => (block as { type: string }).type))].sort();
}
