import * as core from '@modelcontextprotocol/core';
import { memberProblems, VERSIONS, type Version } from './revision-members.ts';

/** A message as one side wrote it. */
export interface Emitted {
  readonly from: 'client' | 'server';
  readonly message: WireMessage;
  /** What was agreed on at that time; undefined before. */
  readonly version: Version | undefined;
  /** The method of the request that a response answers, if it could be read. */
  readonly answers: string | undefined;
}

export interface WireMessage {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Schema {
  safeParse(value: unknown): { error?: { issues: readonly { path: PropertyKey[]; message: string }[] } };
}

interface Rule {
  readonly from: 'client' | 'server' | 'both';
  /** The official schema of the whole. */
  readonly schema: Schema;
  /** The kind of its parameters, for `memberProblems`. */
  readonly params: string;
  readonly since: Version;
}

interface RequestRule extends Rule {
  readonly resultSchema: Schema;
  readonly result: string;
}

export const REQUESTS: { readonly [method: string]: RequestRule } = {
  initialize: request('client', 'InitializeRequest', 'InitializeRequestParams', 'InitializeResult'),
  ping: request('both', 'PingRequest', 'Empty', 'EmptyResult'),
  'tools/list': request('client', 'ListToolsRequest', 'PaginatedRequestParams', 'ListToolsResult'),
  'tools/call': request('client', 'CallToolRequest', 'CallToolRequestParams', 'CallToolResult'),
  'resources/list': request('client', 'ListResourcesRequest', 'PaginatedRequestParams', 'ListResourcesResult'),
  'resources/templates/list': request(
    'client',
    'ListResourceTemplatesRequest',
    'PaginatedRequestParams',
    'ListResourceTemplatesResult',
  ),
  'resources/read': request('client', 'ReadResourceRequest', 'ResourceRequestParams', 'ReadResourceResult'),
  'resources/subscribe': request('client', 'SubscribeRequest', 'ResourceRequestParams', 'EmptyResult'),
  'resources/unsubscribe': request('client', 'UnsubscribeRequest', 'ResourceRequestParams', 'EmptyResult'),
  'prompts/list': request('client', 'ListPromptsRequest', 'PaginatedRequestParams', 'ListPromptsResult'),
  'prompts/get': request('client', 'GetPromptRequest', 'GetPromptRequestParams', 'GetPromptResult'),
  'completion/complete': request('client', 'CompleteRequest', 'CompleteRequestParams', 'CompleteResult'),
  'logging/setLevel': request('client', 'SetLevelRequest', 'SetLevelRequestParams', 'EmptyResult'),
  'sampling/createMessage': request(
    'server',
    'CreateMessageRequest',
    'CreateMessageRequestParams',
    'CreateMessageResultWithTools',
  ),
  'roots/list': request('server', 'ListRootsRequest', 'Empty', 'ListRootsResult'),
  'elicitation/create': request('server', 'ElicitRequest', 'ElicitRequestParams', 'ElicitResult', '2025-06-18'),
};

export const NOTIFICATIONS: { readonly [method: string]: Rule } = {
  'notifications/initialized': notification('client', 'InitializedNotification', 'Empty'),
  'notifications/cancelled': notification('both', 'CancelledNotification', 'CancelledNotificationParams'),
  'notifications/progress': notification('server', 'ProgressNotification', 'ProgressNotificationParams'),
  'notifications/message': notification('server', 'LoggingMessageNotification', 'LoggingMessageNotificationParams'),
  'notifications/resources/updated': notification('server', 'ResourceUpdatedNotification', 'ResourceRequestParams'),
  'notifications/resources/list_changed': notification('server', 'ResourceListChangedNotification', 'Empty'),
  'notifications/tools/list_changed': notification('server', 'ToolListChangedNotification', 'Empty'),
  'notifications/prompts/list_changed': notification('server', 'PromptListChangedNotification', 'Empty'),
  'notifications/roots/list_changed': notification('client', 'RootsListChangedNotification', 'Empty'),
  'notifications/elicitation/complete': notification(
    'server',
    'ElicitationCompleteNotification',
    'ElicitationCompleteNotificationParams',
    '2025-11-25',
  ),
};

/** Everything that the official schemas, or the revision spoken, hold against a message. */
export function problemsOf(emitted: Emitted): string[] {
  const { message, answers } = emitted;
  const envelope = envelopeProblems(emitted);
  if (envelope.length > 0) return envelope;
  if (message.method !== undefined && message.id !== undefined)
    return methodProblems(emitted, message.method, REQUESTS);
  if (message.method !== undefined) return methodProblems(emitted, message.method, NOTIFICATIONS);
  if (message.error !== undefined || answers === undefined) return [];
  const known = REQUESTS[answers];
  if (known === undefined) return []; // a custom request: the specification says nothing about its answer
  const { resultSchema, result } = known;
  return [
    ...schemaProblems(resultSchema, message.result, 'result'),
    ...memberProblems(message.result, result, versionOf(emitted), 'result'),
  ];
}

/** The problems of many messages, with what each of them is. */
export function findings(emitted: readonly Emitted[]): string[] {
  return emitted.flatMap((one) => problemsOf(one).map((problem) => `${describeMessage(one)}: ${problem}`));
}

export function describeMessage({ from, message: { id, method, error }, answers }: Emitted): string {
  if (method !== undefined) return `${from} ${id === undefined ? 'tells' : 'asks'} ${method}`;
  return `${from} ${error === undefined ? 'answers' : 'refuses'} ${answers ?? 'something unreadable'}`;
}

/** Whether a revision has what another one introduced. */
export function isIn(version: Version, since: Version): boolean {
  return VERSIONS.indexOf(since) <= VERSIONS.indexOf(version);
}

function envelopeProblems({ message, version }: Emitted): string[] {
  if (message.error !== undefined && (message.id === undefined || message.id === null)) {
    const wanted = version === '2025-11-25' ? undefined : null;
    const { id, ...rest } = message;
    const wrong = id === wanted ? [] : [`an error to something unreadable has id ${id}, not ${wanted}`];
    return [...wrong, ...schemaProblems(core.JSONRPCMessageSchema, rest, 'message')];
  }
  return schemaProblems(core.JSONRPCMessageSchema, message, 'message');
}

function methodProblems(emitted: Emitted, method: string, rules: { readonly [method: string]: Rule }): string[] {
  const known = rules[method];
  if (known === undefined) return standardNameProblems(method);
  return [
    ...placeProblems(emitted, method, known),
    ...schemaProblems(known.schema, withoutEnvelope(emitted.message), method),
    ...paramsProblems(emitted, known.params),
  ];
}

function placeProblems(emitted: Emitted, method: string, { from, since }: { from: string; since: Version }): string[] {
  const version = versionOf(emitted);
  if (!isIn(version, since)) return [`${method} is not in ${version}`];
  return from === 'both' || from === emitted.from ? [] : [`${method} is not for the ${emitted.from} to send`];
}

function standardNameProblems(method: string): string[] {
  return /^(notifications|tools|resources|prompts|completion|logging|sampling|roots|elicitation|server)\//.test(method)
    ? [`${method} is not in the specification`]
    : [];
}

function paramsProblems(emitted: Emitted, kind: string): string[] {
  const { params } = emitted.message;
  return params === undefined ? [] : memberProblems(params, kind, versionOf(emitted), 'params');
}

function schemaProblems(schema: Schema, value: unknown, what: string): string[] {
  const { error } = schema.safeParse(value);
  return error === undefined ? [] : error.issues.map(({ path, message }) => `${[what, ...path].join('.')}: ${message}`);
}

function withoutEnvelope({ method, params }: WireMessage): object {
  return params === undefined ? { method } : { method, params };
}

/** The handshake itself is spoken in the revision it names. */
function versionOf({ version, message }: Emitted): Version {
  const { protocolVersion } = (message.params ?? message.result ?? {}) as { protocolVersion?: Version };
  return version ?? protocolVersion ?? VERSIONS[0];
}

function request(from: Rule['from'], name: string, params: string, result: string, since?: Version): RequestRule {
  return { ...notification(from, name, params, since), resultSchema: requireSchema(result), result };
}

function notification(from: Rule['from'], name: string, params: string, since: Version = VERSIONS[0]): Rule {
  return { from, schema: requireSchema(name), params, since };
}

/** The schema of `@modelcontextprotocol/core` by the name of what it describes. */
export function officialSchema(name: string): Schema | undefined {
  return (core as unknown as { [name: string]: Schema | undefined })[`${name}Schema`];
}

function requireSchema(name: string): Schema {
  const schema = officialSchema(name);
  if (schema === undefined) throw new Error(`There is no official schema of ${name}`);
  return schema;
}
