import {
  type ContentBlock,
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitParams,
  RpcError,
  Server,
  type ServerSession,
} from '@hawser/mcp';
import { Client, type ClientOptions } from '@hawser/mcp/client';
import { isIn } from './message-check.ts';
import type { Version } from './revision-members.ts';

/** Everything that can be said of a thing, with all that any revision knows. */
const annotations = { audience: ['user' as const], priority: 0.5, lastModified: '2025-01-12T15:00:58Z' };
const icons = [{ src: 'data:image/png;base64,AAEC', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' as const }];
const _meta = { 'example.com/note': 'anything' };
const described = { title: 'A title', description: 'A description', icons, _meta };
const info = { name: 'everything', version: '1.0.0', title: 'Everything', description: 'All of it', icons };

const CONTENT: readonly ContentBlock[] = [
  { type: 'text', text: 'a text', annotations, _meta },
  { type: 'image', data: 'AAEC', mimeType: 'image/png', annotations, _meta },
  { type: 'audio', data: 'AAEC', mimeType: 'audio/wav', annotations, _meta },
  { type: 'resource', resource: { uri: 'test://text', mimeType: 'text/plain', text: 'a', _meta }, annotations, _meta },
  { type: 'resource', resource: { uri: 'test://blob', mimeType: 'image/png', blob: 'AAEC', _meta }, annotations },
  {
    type: 'resource_link',
    uri: 'test://text',
    name: 'text',
    mimeType: 'text/plain',
    size: 1,
    annotations,
    ...described,
  },
];

/** A server that uses all it can, however old the revision. */
export function makeEverything(): Server {
  const server = new Server(
    { ...info, websiteUrl: 'https://example.com' },
    {
      instructions: 'Use everything.',
      capabilities: { logging: {}, experimental: { 'example.com/more': {} } },
      pageSize: 2,
      limits: { maxInFlight: 8 },
      onError: () => {},
    },
  );
  addTools(server);
  addResourcesAndPrompts(server);
  server.onRequest('test/touch', (params) => server.resourceUpdated((params as { uri: string }).uri));
  server.onRequest('test/double', (params) => ({ doubled: (params as { n: number }).n * 2 }));
  return server;
}

function addTools(server: Server): void {
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  const described = { title: 'All content', description: 'Answers every kind of content.', icons, _meta };
  server.tool({ name: 'all_content', ...described, annotations: { title: 'All content', ...hints } }, () => ({
    content: [...CONTENT],
    structuredContent: { n: 1 },
    _meta,
  }));
  const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  server.tool<{ n: number }>({ name: 'structured', inputSchema, outputSchema }, ({ n }) => ({
    structuredContent: { n },
  }));
  server.tool({ name: 'broken_promise', outputSchema }, () => ({ structuredContent: { n: 'one' } }));
  server.tool({ name: 'fails' }, () => {
    throw new Error('failed on purpose');
  });
  server.tool({ name: 'refuses' }, () => {
    throw new RpcError(-32099, 'Refused on purpose', { because: 'of the test' });
  });
  server.tool({ name: 'unwritable' }, () => ({ content: [], structuredContent: { huge: 1n } }));
  server.tool({ name: 'silent' }, () => undefined);
  server.tool({ name: 'slow' }, (_args, { signal, session }) => {
    session.notify('test/slow', {});
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('too late')));
  });
  server.tool({ name: 'progress' }, (_args, context) => {
    context.progress(1);
    context.progress(2, 3, 'two of three');
    return 'done';
  });
  server.tool({ name: 'change_lists' }, () => {
    server.tool({ name: 'short_lived' }, () => 'hello').remove();
    server.resource({ uri: 'test://short-lived', name: 'short-lived' }, () => '').remove();
    server.prompt({ name: 'short_lived' }, () => '').remove();
    return 'changed';
  });
}

function addResourcesAndPrompts(server: Server): void {
  const listed = { mimeType: 'text/plain', annotations, ...described };
  server.resource({ uri: 'test://text', name: 'text', size: 1, ...listed }, () => ({
    mimeType: 'text/plain',
    text: 'a',
    _meta,
  }));
  server.resource({ uri: 'test://blob', name: 'blob', ...listed }, () => ({
    mimeType: 'image/png',
    blob: 'AAEC',
    _meta,
  }));
  server.resource({ uri: 'test://several', name: 'several' }, () => [
    { uri: 'test://several/1', text: 'one' },
    { uri: 'test://several/2', blob: 'AAEC' },
  ]);
  const complete = { id: () => Array.from({ length: 120 }, (_, n) => `${n}`) };
  server.resourceTemplate(
    { uriTemplate: 'test://items/{id}', name: 'items', ...listed, complete },
    ({ id }) => `item ${id}`,
  );
  server.prompt(
    {
      name: 'all_content',
      ...described,
      arguments: [{ name: 'who', title: 'Who', description: 'Whom', required: true, complete: () => ['Ada'] }],
    },
    () => ({ description: 'All', messages: CONTENT.map((content) => ({ role: 'user', content })), _meta }),
  );
  server.prompt({ name: 'plain' }, () => 'one text');
  server.prompt({ name: 'throws' }, () => {
    throw new Error('failed on purpose');
  });
}

/** A client that answers all it can be asked; its answers keep to the revision, which its handlers are told. */
export function makeClient(version: Version, options: ClientOptions = {}): Client {
  const client = new Client(
    { ...info, name: 'everyone', websiteUrl: 'https://example.com' },
    {
      protocolVersion: version,
      createMessage: ({ messages }, { session, signal }) => {
        if (messages.length > 0)
          return { ...samplingResults(version)[0], role: 'assistant', model: 'a-model' } as never;
        session.notify('test/sampling', {});
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      elicit: ({ message }) => {
        if (message === 'decline') return { action: 'decline' };
        return { action: 'accept', content: { text: 'a', number: 1, yes: true } };
      },
      roots: () => [{ uri: 'file:///one', name: 'One', _meta }, { uri: 'file:///two' }],
      // Declared whatever the revision: the specification keeps this set open.
      capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} } },
      onError: () => {},
      ...options,
    },
  );
  client.onRequest('test/question', () => ({ answer: 42 }));
  client.onRequest('test/throws', () => {
    throw new Error('failed on purpose');
  });
  return client;
}

/** Requests for a message with all that a revision lets one ask for. */
export function samplingParams(version: Version): CreateMessageParams[] {
  const text = { type: 'text' as const, text: 'hello' };
  const params: CreateMessageParams = {
    messages: [
      { role: 'user', content: text },
      { role: 'assistant', content: { type: 'image', data: 'AAEC', mimeType: 'image/png' } },
      ...(isIn(version, '2025-03-26')
        ? [{ role: 'user' as const, content: { type: 'audio' as const, data: 'AAEC', mimeType: 'audio/wav' } }]
        : []),
    ],
    maxTokens: 10,
    systemPrompt: 'Be brief.',
    temperature: 0.5,
    stopSequences: ['stop'],
    includeContext: 'none',
    modelPreferences: { hints: [{ name: 'a-model' }], costPriority: 0, speedPriority: 1, intelligencePriority: 0.5 },
    metadata: { user: 'someone' },
  };
  if (!isIn(version, '2025-11-25')) return [params];
  const use = { type: 'tool_use' as const, id: 'u1', name: 'look', input: { at: 'it' } };
  const result = { type: 'tool_result' as const, toolUseId: 'u1', content: [...CONTENT], isError: false };
  return [
    params,
    {
      messages: [
        { role: 'user', content: [text] },
        { role: 'assistant', content: [use] },
        { role: 'user', content: [result] },
      ],
      maxTokens: 10,
      tools: [{ name: 'look', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' },
    },
  ];
}

function samplingResults(version: Version): Partial<CreateMessageResult>[] {
  const use = { type: 'tool_use' as const, id: 'u1', name: 'look', input: { at: 'it' } };
  if (isIn(version, '2025-11-25')) return [{ content: [use], stopReason: 'toolUse' }];
  return [{ content: { type: 'text', text: 'hello' }, stopReason: 'endTurn' }];
}

/** Questions for the person, as far as a revision has them. */
export function elicitations(version: Version): ElicitParams[] {
  if (!isIn(version, '2025-06-18')) return [];
  const properties = { text: { type: 'string' }, number: { type: 'number' }, yes: { type: 'boolean' } };
  const requestedSchema = { type: 'object', properties, required: ['text'] };
  const forms: ElicitParams[] = [
    { message: 'who?', requestedSchema },
    { mode: 'form', message: 'decline', requestedSchema },
  ];
  if (!isIn(version, '2025-11-25')) return forms;
  return [...forms, { mode: 'url', message: 'decline', url: 'https://example.com/', elicitationId: 'e1' }];
}

/** What a server can ask and tell its client of its own accord. */
export async function askTheClient(session: ServerSession, version: Version): Promise<void> {
  await session.ping();
  await session.listRoots();
  for (const params of samplingParams(version)) await session.createMessage(params);
  for (const params of elicitations(version)) await session.elicit(params);
  if (isIn(version, '2025-11-25')) session.notify('notifications/elicitation/complete', { elicitationId: 'e1' });
  await session.request('test/question', { n: 1 });
  await session.request('test/unheard_of').catch(() => {});
  await session.request('test/throws').catch(() => {});
  session.log('error', { any: ['json'] }, 'a-logger');
  session.log('error', 'without a logger');
  session.notify('test/told', { text: 'psst' });
}
