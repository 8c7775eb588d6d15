import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { CAPABILITIES, CUSTOM_NEWS, type Driver, type DriverCallOptions, INFO, Person } from '../driver.ts';

/** The official client, v1. */
export async function connectSdkV1(transport: Transport): Promise<Driver> {
  const person = new Person();
  const client = new Client(INFO, { capabilities: CAPABILITIES });
  answerQuestions(client, person);
  hearNews(client, person);
  let protocolVersion: string | undefined;
  // v1 keeps what was agreed to itself, but tells its transport.
  transport.setProtocolVersion = (version) => {
    protocolVersion = version;
  };
  await client.connect(transport);
  return {
    person,
    agreed: () => ({
      protocolVersion,
      serverName: client.getServerVersion()?.name,
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
    }),
    ping: () => client.ping(),
    // v1's types are its zod schemas' own; the suite looks at the values.
    listTools: async () => (await client.listTools()).tools as never,
    callTool: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, requestOptions(options))) as never,
    listResources: async () => (await client.listResources()).resources as never,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates as never,
    readResource: async (uri) => (await client.readResource({ uri })).contents as never,
    subscribe: (uri) => client.subscribeResource({ uri }),
    unsubscribe: (uri) => client.unsubscribeResource({ uri }),
    listPrompts: async () => (await client.listPrompts()).prompts as never,
    getPrompt: async (name, args) => (await client.getPrompt({ name, arguments: args })) as never,
    complete: async (params) => (await client.complete(params as never)).completion,
    setLogLevel: (level) => client.setLoggingLevel(level),
    request: (method, params) => client.request({ method, params }, z.looseObject({})),
    notify: (method, params) => client.notification({ method, params }),
    rootsChanged: () => client.sendRootsListChanged(),
    close: () => client.close(),
  };
}

function answerQuestions(client: Client, person: Person): void {
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { signal }) => {
    const started = { method: 'test/sampling_started', params: {} };
    return person.sample(params.messages, signal, () => client.notification(started));
  });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ ...person.elicit(params.message) }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: person.roots as never }));
  const question = z.object({ method: z.literal('test/question'), params: z.object({ question: z.string() }) });
  client.setRequestHandler(question, ({ params }) => person.answer(params.question));
}

function hearNews(client: Client, person: Person): void {
  const hear = ({ method, params }: { method: string; params?: unknown }) => person.tell(method, params);
  client.setNotificationHandler(LoggingMessageNotificationSchema, hear);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, hear);
  client.setNotificationHandler(ToolListChangedNotificationSchema, hear);
  for (const method of CUSTOM_NEWS) {
    client.setNotificationHandler(z.object({ method: z.literal(method), params: z.looseObject({}) }), hear);
  }
}

function requestOptions({ signal, onProgress }: DriverCallOptions): RequestOptions {
  return { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress as never }) };
}
