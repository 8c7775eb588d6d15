import type { JsonSchema } from './schema/validate.ts';

/** The parts of messages, for all revisions. Members that a revision does not know are removed before sending. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

export type Meta = { [key: string]: unknown };
export type ProgressToken = string | number;

export interface ClientCapabilities {
  experimental?: { [name: string]: object };
  extensions?: { [name: string]: object };
  roots?: { listChanged?: boolean };
  sampling?: { context?: object; tools?: object };
  elicitation?: { form?: object; url?: object };
  tasks?: object;
}

export interface ServerCapabilities {
  experimental?: { [name: string]: object };
  extensions?: { [name: string]: object };
  logging?: object;
  completions?: object;
  prompts?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  tools?: { listChanged?: boolean };
  tasks?: object;
}

export interface InitializeParams {
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

export interface InitializeResult {
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  instructions?: string;
}

export interface HealthResult {
  protocolVersion: string;
  status: 'ok';
  state: SessionState;
  serverInfo: Implementation;
}

/** The states of a session; `closed` is final. */
export type SessionState = 'waiting' | 'initializing' | 'ready' | 'closed';

export interface Annotations {
  audience?: ('user' | 'assistant')[];
  priority?: number;
  lastModified?: string;
}

export interface TextContent {
  type: 'text';
  text: string;
  annotations?: Annotations;
  _meta?: Meta;
}

export interface MediaContent {
  type: 'image' | 'audio';
  /** Base64. */
  data: string;
  mimeType: string;
  annotations?: Annotations;
  _meta?: Meta;
}

export interface EmbeddedResource {
  type: 'resource';
  resource: ResourceContents;
  annotations?: Annotations;
  _meta?: Meta;
}

export interface ResourceLink extends Resource {
  type: 'resource_link';
}

export type ContentBlock = TextContent | MediaContent | EmbeddedResource | ResourceLink;

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  /** In 2025-11-25. */
  execution?: { taskSupport?: 'forbidden' | 'optional' | 'required' };
  annotations?: ToolAnnotations;
  icons?: Icon[];
  _meta?: Meta;
}

export interface CallToolResult {
  content: ContentBlock[];
  /** Any JSON value from 2026-07-28 on, an object before. */
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Meta;
}

export interface Resource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: Meta;
}

export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: Meta;
}

export interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  /** Base64. */
  blob?: string;
  _meta?: Meta;
}

export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: PromptArgument[];
  icons?: Icon[];
  _meta?: Meta;
}

export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}

export interface GetPromptResult {
  description?: string;
  messages: PromptMessage[];
  _meta?: Meta;
}

export interface CompleteParams {
  ref: { type: 'ref/prompt'; name: string; title?: string } | { type: 'ref/resource'; uri: string };
  argument: { name: string; value: string };
  context?: { arguments?: { [name: string]: string } };
}

export interface CompleteResult {
  completion: { values: string[]; total?: number; hasMore?: boolean };
}

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(level: unknown): level is LogLevel {
  return LOG_LEVELS.some((known) => known === level);
}

export interface LogMessage {
  level: LogLevel;
  logger?: string;
  data: unknown;
}

export interface Root {
  uri: string;
  name?: string;
  _meta?: Meta;
}

export type SamplingContent =
  | TextContent
  | MediaContent
  | { type: 'tool_use'; id: string; name: string; input: { [key: string]: unknown } }
  | { type: 'tool_result'; toolUseId: string; content: ContentBlock[]; structuredContent?: unknown; isError?: boolean };

export interface SamplingMessage {
  role: 'user' | 'assistant';
  content: SamplingContent | SamplingContent[];
}

export interface CreateMessageParams {
  messages: SamplingMessage[];
  maxTokens: number;
  systemPrompt?: string;
  temperature?: number;
  stopSequences?: string[];
  includeContext?: 'none' | 'thisServer' | 'allServers';
  modelPreferences?: {
    hints?: { name?: string }[];
    costPriority?: number;
    speedPriority?: number;
    intelligencePriority?: number;
  };
  tools?: Tool[];
  toolChoice?: { mode?: 'auto' | 'required' | 'none' };
  metadata?: object;
}

export interface CreateMessageResult {
  role: 'user' | 'assistant';
  content: SamplingContent | SamplingContent[];
  model: string;
  stopReason?: string;
}

export type ElicitParams =
  | { mode?: 'form'; message: string; requestedSchema: JsonSchema }
  | {
      mode: 'url';
      message: string;
      url: string;
      /** Required in 2025-11-25, and made up where it is missing; absent from 2026-07-28 on. */
      elicitationId?: string;
    };

export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel';
  content?: { [field: string]: string | number | boolean | string[] };
}

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** The notifications of the specification, with their params. */
export interface StandardNotifications {
  'notifications/initialized': undefined;
  'notifications/roots/list_changed': undefined;
  'notifications/message': LogMessage;
  'notifications/resources/updated': { uri: string };
  'notifications/resources/list_changed': undefined;
  'notifications/tools/list_changed': undefined;
  'notifications/prompts/list_changed': undefined;
  'notifications/elicitation/complete': { elicitationId: string };
}
