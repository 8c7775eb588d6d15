import { memoryPair, Server, sdkTransport } from '@hawser/mcp';
import { describe, expect, test } from 'vitest';
import type { Driver } from './driver.ts';
import { connectSdkV1 } from './drivers/sdk-v1.ts';
import { connectSdkV2 } from './drivers/sdk-v2.ts';
import { makeServer as makeServerV1 } from './fixtures/sdk-v1-server.mjs';
import { makeServer as makeServerV2 } from './fixtures/sdk-v2-server.mjs';
import { type Emitted, findings, problemsOf } from './message-check.ts';
import { Recorder } from './recorder.ts';
import type { Version } from './revision-members.ts';

const text = { type: 'text', text: 'a' };
const tool = { name: 'a', inputSchema: { type: 'object' } };

describe('a planted message is noticed', () => {
  test.each<[string, Emitted, RegExp]>([
    ['without jsonrpc', says({ id: 1, method: 'ping', jsonrpc: undefined }), /message: Invalid input/],
    ['with a member beside result', says({ id: 1, result: {}, more: 1 }), /Unrecognized key: "more"/],
    ['with id null', says({ id: null, result: {} }), /message: Invalid input/],
    ['with a code that is no integer', says({ id: 1, error: { code: 1.5, message: '' } }), /message: Invalid input/],
    ['with params that are a list', says({ method: 'test/a', params: [] }), /message: Invalid input/],
    ['with an id of null for an unreadable request', refuses(null, '2025-11-25'), /has id null, not undefined/],
    ['without an id for an unreadable request', refuses(undefined, '2025-06-18'), /has id undefined, not null/],
    ['without an id before the handshake', refuses(undefined, undefined), /has id undefined, not null/],
    ['of an unspecified method', says({ method: 'notifications/made_up' }), /is not in the specification/],
    [
      'of a method that came later',
      says({ id: 1, method: 'elicitation/create', params: {} }, '2025-03-26'),
      /not in 2025-03/,
    ],
    ['of the peer', says({ id: 1, method: 'tools/list' }), /is not for the server to send/],
    ['without a member that must be there', answers('tools/call', {}), /result.content is missing/],
    [
      'with a member of the wrong type',
      answers('tools/list', { tools: [{ ...tool, name: 1 }] }),
      /tools.0.name: Invalid/,
    ],
    ['with a list that is none', answers('tools/list', { tools: {} }), /tools: Invalid input/],
    [
      'with an image that is no base64',
      answers('tools/call', { content: [{ type: 'image', data: '%', mimeType: '' }] }),
      /./,
    ],
    ['with content of no known type', answers('tools/call', { content: [{ type: 'smell' }] }), /type smell is not in/],
    [
      'with structuredContent',
      answers('tools/call', { content: [], structuredContent: {} }, '2025-03-26'),
      /structured/,
    ],
    ['with outputSchema', lists({ outputSchema: { type: 'object' } }, '2025-03-26'), /\[0\].outputSchema is not in/],
    ['with title', lists({ title: 'A' }, '2025-03-26'), /\[0\].title is not in/],
    ['with annotations', lists({ annotations: {} }, '2024-11-05'), /\[0\].annotations is not in/],
    ['with icons', lists({ icons: [] }, '2025-06-18'), /\[0\].icons is not in/],
    ['with an unspecified member', lists({ colour: 'red' }, '2025-11-25'), /\[0\].colour is not in/],
    [
      'with a resource_link',
      content({ type: 'resource_link', uri: 'a:b', name: 'b' }, '2025-03-26'),
      /resource_link is not in/,
    ],
    ['with audio', content({ type: 'audio', data: '', mimeType: 'a/b' }, '2024-11-05'), /type audio is not in/],
    [
      'with a date',
      content({ ...text, annotations: { lastModified: '2025-01-12T15:00:58Z' } }, '2025-03-26'),
      /lastMod/,
    ],
    ['with a list of sampled content', samples([text], '2025-06-18'), /content is not an object/],
    ['with an icon in serverInfo', greets({ icons: [] }, '2025-06-18'), /result.serverInfo.icons is not in/],
  ])('%s', (_what, emitted, problem) => {
    expect(problemsOf(emitted).join('\n')).toMatch(problem);
  });
});

describe('a proper message passes', () => {
  test.each<[string, Emitted]>([
    ['a ping', says({ id: 0, method: 'ping' })],
    ['a request of our own', says({ id: 1, method: 'test/question', params: { any: ['thing'] } })],
    ['a notification of our own', says({ method: 'selection_changed', params: { text: '' } })],
    ['an error', says({ id: 'a', error: { code: -32601, message: 'Method not found', data: [] } })],
    ['an error without an id', refuses(undefined, '2025-11-25')],
    ['an error with id null', refuses(null, '2025-06-18')],
    ['an error with id null before the handshake', refuses(null, undefined)],
    [
      'a tool with everything',
      lists({ title: 'A', icons: [{ src: 'a:b' }], outputSchema: {}, annotations: {} }, '2025-11-25'),
    ],
    ['a list of sampled content', samples([text], '2025-11-25')],
    ['the oldest handshake', greets({}, '2024-11-05')],
  ])('%s', (_what, emitted) => {
    expect(problemsOf(emitted)).toEqual([]);
  });
});

test('what a server sends too early for its revision is noticed on the wire', async () => {
  const [clientEnd, serverEnd] = memoryPair({ copy: 'json' });
  const recorder = new Recorder(serverEnd, 'server');
  const server = new Server({ name: 'leaky', version: '1' });
  server.onRequest('tools/list', () => ({ tools: [{ ...tool, title: 'Too early' }] }));
  server.connect(recorder);
  const info = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  await recorder.reactionTo(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: info }));
  recorder.inject('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  await recorder.reactionTo('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  expect(recorder.emitted.flatMap(problemsOf)).toEqual(['result.tools[0].title is not in 2025-03-26']);
  await clientEnd.close();
});

describe('nothing is held against the official SDKs', () => {
  test.each([
    ['client v1 and server v2', connectSdkV1, makeServerV2],
    ['client v2 and server v1', connectSdkV2, makeServerV1],
  ] as const)('%s', async (_names, connectDriver, makeServer) => {
    const [clientEnd, serverEnd] = memoryPair({ copy: 'json' });
    const client = new Recorder(clientEnd, 'client');
    const server = new Recorder(serverEnd, 'server');
    await makeServer().connect(sdkTransport(server));
    const driver = await connectDriver(sdkTransport(client));
    await talk(driver);
    await driver.close();
    expect(client.emitted.length).toBeGreaterThan(20);
    expect(findings([...client.emitted, ...server.emitted])).toEqual([]);
  });
});

/** A bit of everything. */
async function talk(driver: Driver): Promise<void> {
  await driver.listTools();
  await driver.listResources();
  await driver.listResourceTemplates();
  await driver.readResource('test://static');
  await driver.subscribe('test://static');
  await driver.listPrompts();
  await driver.getPrompt('greet', { name: 'Ada' });
  await driver.setLogLevel('debug');
  await driver.callTool('hurry', { to: 2 }, { onProgress: () => {} });
  for (const name of ['sample', 'measure', 'tell_client']) await driver.callTool(name, { text: 'a' });
  for (const name of ['fail', 'roots', 'give_up_sampling', 'grow', 'ask_unknown']) await driver.callTool(name);
  await driver.callTool('log', { level: 'error', text: 'a' });
  await driver.callTool('elicit', { message: 'a' });
}

function says(message: object, version: Version | undefined = '2025-11-25', answered?: string): Emitted {
  const from = 'server';
  return { from, message: JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message })), version, answers: answered };
}

function refuses(id: null | undefined, version: Version | undefined): Emitted {
  const error = { code: -32700, message: 'Parse error' };
  return { ...says({ id, error }), version };
}

function answers(method: string, result: object, version: Version = '2025-11-25'): Emitted {
  return says({ id: 1, result }, version, method);
}

function lists(more: object, version: Version): Emitted {
  return answers('tools/list', { tools: [{ ...tool, ...more }] }, version);
}

function content(block: object, version: Version): Emitted {
  return answers('tools/call', { content: [block] }, version);
}

function samples(sampled: unknown, version: Version): Emitted {
  const result = { role: 'assistant', model: 'a', content: sampled };
  return { ...answers('sampling/createMessage', result, version), from: 'client' };
}

function greets(more: object, version: Version): Emitted {
  const serverInfo = { name: 'a', version: '1', ...more };
  return { ...answers('initialize', { protocolVersion: version, capabilities: {}, serverInfo }), version: undefined };
}
