import type { LogLevel } from '@hawser/mcp';
import {
  Client,
  LOG_LEVEL_META_KEY,
  type RequestOptions,
  type Transport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import {
  CAPABILITIES,
  CUSTOM_NEWS,
  type Driver,
  type DriverCallOptions,
  INFO,
  Person,
  STANDARD_NEWS,
} from '../driver.ts';

/** The official client, v2: `legacy`, its default, begins with `initialize`; `auto` asks for `server/discover` first. */
export async function connectSdkV2(transport: Transport, mode: 'legacy' | 'auto' = 'legacy'): Promise<Driver> {
  const person = new Person();
  const versionNegotiation: VersionNegotiationOptions = { mode };
  const client = new Client(INFO, { capabilities: CAPABILITIES, ...(mode === 'auto' && { versionNegotiation }) });
  answerQuestions(client, person);
  hearNews(client, person);
  await client.connect(transport);
  const stateless = client.getProtocolEra() === 'modern';
  // In stateless revisions one subscription replaces the subscribe requests and the unsolicited notifications.
  const subscriptions = new Map<string, { close(): Promise<void> }>();
  if (stateless) subscriptions.set('tools', await client.listen({ toolsListChanged: true }));
  let logLevel: LogLevel | undefined;
  return {
    person,
    agreed: () => ({
      protocolVersion: client.getNegotiatedProtocolVersion(),
      serverName: client.getServerVersion()?.name,
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
    }),
    ping: () => client.ping(),
    // v2's types are its own; the suite looks at the values.
    listTools: async () => (await client.listTools()).tools as never,
    callTool: async (name, args = {}, options = {}) =>
      (await client.callTool(
        { name, arguments: args, ...(logLevel && { _meta: { [LOG_LEVEL_META_KEY]: logLevel } }) },
        requestOptions(options),
      )) as never,
    listResources: async () => (await client.listResources()).resources as never,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates as never,
    readResource: async (uri) => (await client.readResource({ uri })).contents as never,
    subscribe: async (uri) => {
      if (!stateless) return client.subscribeResource({ uri });
      return subscriptions.set(uri, await client.listen({ resourceSubscriptions: [uri] }));
    },
    unsubscribe: async (uri) => (stateless ? subscriptions.get(uri)?.close() : client.unsubscribeResource({ uri })),
    listPrompts: async () => (await client.listPrompts()).prompts as never,
    getPrompt: async (name, args) => (await client.getPrompt({ name, arguments: args })) as never,
    complete: async (params) => (await client.complete(params as never)).completion,
    setLogLevel: async (level) => {
      if (!stateless) return client.setLoggingLevel(level);
      logLevel = level;
    },
    request: (method, params) => client.request({ method, params }, z.looseObject({})),
    notify: (method, params) => client.notification({ method, params }),
    rootsChanged: () => client.sendRootsListChanged(),
    close: () => client.close(),
  };
}

function answerQuestions(client: Client, person: Person): void {
  client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) => {
    const started = { method: 'test/sampling_started', params: {} };
    return person.sample(params.messages, mcpReq.signal, () => client.notification(started));
  });
  client.setRequestHandler('elicitation/create', ({ params }) => ({ ...person.elicit(params.message) }));
  client.setRequestHandler('roots/list', () => ({ roots: person.roots as never }));
  const params = z.object({ question: z.string() });
  client.setRequestHandler('test/question', { params }, ({ question }) => person.answer(question));
}

function hearNews(client: Client, person: Person): void {
  for (const method of STANDARD_NEWS) {
    client.setNotificationHandler(method, (notification) => person.tell(method, notification.params));
  }
  for (const method of CUSTOM_NEWS) {
    client.setNotificationHandler(method, { params: z.looseObject({}) }, (params) => person.tell(method, params));
  }
}

function requestOptions({ signal, onProgress }: DriverCallOptions): RequestOptions {
  return { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress as never }) };
}
