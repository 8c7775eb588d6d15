// Names of the stateless era (2026-07-28 on), in which every request says by itself who asks and in which revision.

const PREFIX = 'io.modelcontextprotocol/';

/** Keys in `_meta`. */
export const MetaKey = {
  protocolVersion: `${PREFIX}protocolVersion`,
  clientCapabilities: `${PREFIX}clientCapabilities`,
  clientInfo: `${PREFIX}clientInfo`,
  logLevel: `${PREFIX}logLevel`,
  serverInfo: `${PREFIX}serverInfo`,
  subscriptionId: `${PREFIX}subscriptionId`,
} as const;

/** The extension whose results may be tasks. */
export const TASKS_EXTENSION = `${PREFIX}tasks`;

export const StatelessErrorCode = {
  HeaderMismatch: -32020,
  MissingClientCapability: -32021,
  UnsupportedVersion: -32022,
} as const;

/** One question to the client within an answer, and what may come back: the wire form of a round. */
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

/** What `subscriptions/listen` asks to hear of. */
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
