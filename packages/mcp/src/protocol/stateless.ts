// Names of the stateless revisions (2026-07-28 on), in which every request names its client and its revision.

/** Keys in `_meta`. Written out, because V8 finds members faster by a literal than by a concatenated string. */
export const MetaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The extension whose results may be tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The stateless revision that the parameters of a request or a notification name, if any. */
export function statelessVersionOf(params: unknown): string | undefined {
  const meta = (params as { _meta?: { readonly [key: string]: unknown } | null } | undefined)?._meta;
  const version = typeof meta === 'object' && meta !== null ? meta[MetaKey.protocolVersion] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** Whether the parameters of a request or a notification say that it is stateless. */
export function saysStateless(params: unknown): boolean {
  const meta = (params as { _meta?: { readonly [key: string]: unknown } | null } | undefined)?._meta;
  return typeof meta === 'object' && meta !== null && meta[MetaKey.protocolVersion] !== undefined;
}

export const StatelessErrorCode = {
  HeaderMismatch: -32020,
  MissingClientCapability: -32021,
  UnsupportedVersion: -32022,
} as const;

/** One question to the client, as it is sent within a response. */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params?: { readonly [name: string]: unknown };
}
export type InputRequests = { readonly [key: string]: InputRequest };
export type InputResponses = { readonly [key: string]: unknown };

export interface InputRequiredResult {
  readonly resultType: 'input_required';
  readonly inputRequests?: InputRequests;
  readonly requestState?: string;
}

export interface DiscoverResult {
  readonly supportedVersions: readonly string[];
  readonly capabilities: object;
  readonly instructions?: string;
}

/** The changes that `subscriptions/listen` asks for. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

/** The member of a method's parameters that is repeated in the header `Mcp-Name`. */
export const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);
