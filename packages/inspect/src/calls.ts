import type { Severity } from '@hawser/check/check';
import type { Report } from '@hawser/check/reports/report';
import type { Result } from '@hawser/check/run-checks';
import type { RunningEditor } from '@hawser/client/editor-finder';
import type { FeedBatch } from '@hawser/client/traffic-feed';
import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  GetPromptResult,
  Implementation,
  LogLevel,
  LogMessage,
  Progress,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Root,
  ServerCapabilities,
  Tool,
} from '@hawser/mcp';

/**
 * What the page of `hawser inspect` and the command say to each other: JSON-RPC 2.0 on one WebSocket, from the page
 * `Calls`, from the command `Events`. Both are made by one build, so there are no versions. The page aborts a call with
 * the notification `abort` and the id of the request; an aborted call is not answered.
 */
export interface Calls {
  /** The first call. The events follow its answer, the kept traffic among them. */
  hello: Call<Empty, Hello>;
  /** The servers that the user can choose from. */
  'targets/list': Call<Empty, TargetList>;
  /** Ends the current session, if any, and begins another. Fails with a `Problem` as data. */
  connect: Call<ConnectRequest, ServerFacts>;
  disconnect: Call<Empty, Empty>;
  /**
   * Logs in to the server that was connected to last. `login/page` says where the user does that; it is answered when the user
   * has. Has no timeout of its own: the page aborts it.
   */
  login: Call<Empty, Empty>;
  ping: Call<Empty, { readonly ms: number }>;
  'tools/list': Call<Empty, { readonly tools: readonly Tool[] }>;
  /** Has no timeout. `progress` names the call by `callId`. */
  'tools/call': Call<ToolCall, CallToolResult>;
  'resources/list': Call<Empty, ResourceList>;
  'resources/read': Call<Uri, { readonly contents: readonly ResourceContents[] }>;
  'resources/subscribe': Call<Uri, Empty>;
  'resources/unsubscribe': Call<Uri, Empty>;
  'prompts/list': Call<Empty, { readonly prompts: readonly Prompt[] }>;
  'prompts/get': Call<PromptRequest, GetPromptResult>;
  complete: Call<CompleteParams, CompleteResult['completion']>;
  'log-level/set': Call<{ readonly level: LogLevel }, Empty>;
  /** What `roots/list` is answered with from now on. The server is notified. */
  'roots/set': Call<{ readonly roots: readonly Root[] }, Empty>;
  /** Answers a question of the server. Fails if it was answered or withdrawn. */
  'questions/answer': Call<QuestionAnswer, Empty>;
  /** Sends a JSON text to the server as it is, past the session. */
  'messages/send': Call<{ readonly text: string }, Empty>;
  'checks/list': Call<Empty, { readonly checks: readonly CheckFacts[] }>;
  /** Checks the server that was connected to last, on connections of its own. */
  'checks/run': Call<CheckRequest, Report>;
}

export interface Events {
  /** The connection to the server has changed. */
  state: ConnectionState;
  traffic: TrafficBatch;
  /** Progress of a call of a tool. */
  progress: Progress & { readonly callId: string };
  /** The server asks the user. */
  'questions/added': Question;
  /** A question was answered, or the server does not wait for the answer any longer. */
  'questions/removed': { readonly id: string };
  /** The server has changed one of its lists. */
  'lists/changed': { readonly list: ListName };
  'resources/updated': Uri;
  log: LogMessage;
  /** The page of the authorization server, for the user to open. */
  'login/page': { readonly url: string };
  /** A failure that no call can report. */
  notice: { readonly message: string };
  /** One check has ended. */
  'checks/progress': { readonly result: Result; readonly index: number; readonly count: number };
  /** Another page took over. The connection is closed after it. */
  replaced: Empty;
}

interface Call<Params, Answer> {
  readonly params: Params;
  readonly answer: Answer;
}

export type Method = keyof Calls;
export type ParamsOf<M extends Method> = Calls[M]['params'];
export type AnswerOf<M extends Method> = Calls[M]['answer'];
export type EventName = keyof Events;
export type Empty = Readonly<Record<never, never>>;
export type ListName = 'tools' | 'resources' | 'prompts';

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** The codes of failed calls, from the range that JSON-RPC leaves to applications. */
export const Failure = {
  /** The data is `Problem`. */
  notConnected: -32_001,
  /** The server answered with an error: the data is `ServerError`. */
  answeredWithError: -32_002,
  /** Anything else. The message says what. */
  other: -32_003,
} as const;

export interface ServerError {
  readonly code: number;
  readonly data?: unknown;
}

/** The notification that aborts a call of the page. */
export const ABORT = 'abort';
/** Where the WebSocket is. */
export const CHANNEL_PATH = '/channel';
/** The subprotocol. The page offers a second one, which is its secret: see page-tokens.ts. */
export const SUBPROTOCOL = 'hawser-inspect';

export interface Hello {
  /** Of the command. */
  readonly version: string;
  /** Proves that a page that connects again is this one. */
  readonly token: string;
  /** The folder that the command was started in. */
  readonly folder: string;
  /** The revisions of MCP that can be asked for, newest first. */
  readonly revisions: readonly string[];
  readonly state: ConnectionState;
  /** The server that the command line names, if it names one. */
  readonly given: GivenTarget | undefined;
  readonly questions: readonly Question[];
  readonly roots: readonly Root[];
  readonly subscriptions: readonly string[];
  readonly logLevel: LogLevel | undefined;
}

export interface GivenTarget {
  readonly description: string;
  readonly protocolVersion: string | undefined;
}

export type ConnectionState =
  | { readonly kind: 'disconnected'; readonly problem?: Problem }
  | { readonly kind: 'connecting'; readonly target: string }
  | { readonly kind: 'connected'; readonly server: ServerFacts };

/** What happened, and what the user can do about it. */
export interface Problem {
  readonly message: string;
  readonly advice?: string;
  /** A login would help: see `Calls.login`. */
  readonly canLogIn?: true;
}

export interface ServerFacts {
  /** The server in words, without secrets. */
  readonly target: string;
  readonly transport: 'stdio' | 'http' | 'websocket';
  readonly protocolVersion: string;
  readonly isStateless: boolean;
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** How the user names a server. */
export type TargetChoice =
  /** As on the command line of the command. */
  | { readonly kind: 'given' }
  /** The server connected to last. */
  | { readonly kind: 'last' }
  | { readonly kind: 'stdio'; readonly command: string; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'url'; readonly url: string; readonly headers: readonly string[] }
  | { readonly kind: 'lock'; readonly path: string }
  | { readonly kind: 'server'; readonly name: string; readonly config: string };

export interface ConnectRequest {
  readonly target: TargetChoice;
  /** Default: the newest that the server knows. */
  readonly protocolVersion?: string;
}

export interface TargetList {
  readonly editors: readonly RunningEditor[];
  readonly servers: readonly ServerChoice[];
  /** Files that could not be read. */
  readonly problems: readonly string[];
}

/** An entry of a configuration file. */
export interface ServerChoice {
  readonly name: string;
  readonly config: string;
  /** The command or URL, without secrets; undefined if it can't be used. */
  readonly description: string | undefined;
  /** Why it can't be used. */
  readonly problem: string | undefined;
}

export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ResourceList {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

export interface Uri {
  readonly uri: string;
}

export interface PromptRequest {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
}

export type Question =
  | { readonly id: string; readonly kind: 'elicitation'; readonly params: ElicitParams }
  | { readonly id: string; readonly kind: 'sampling'; readonly params: CreateMessageParams };

export interface QuestionAnswer {
  readonly id: string;
  readonly answer:
    | { readonly kind: 'elicitation'; readonly result: ElicitResult }
    | { readonly kind: 'sampling'; readonly result: CreateMessageResult }
    /** The user does not want a model's message to be written. */
    | { readonly kind: 'refused' };
}

export interface TrafficEntry {
  /** Counts up from 1 in the order of the messages. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Counts the connections to servers. */
  readonly session: number;
  readonly kind: /** A message, as JSON. */
    | 'sent'
    | 'received'
    /** The server sent something that is no message: why. */
    | 'malformed'
    /** A line of the server's stderr. */
    | 'stderr'
    /** The connection began: with which server. */
    | 'opened'
    /** It could not be made, or the server ended it: why. */
    | 'closed'
    /** The user ended it. */
    | 'disconnected';
  readonly text: string;
  /** Characters of the whole text if it was too long to keep: `text` is its beginning. */
  readonly cutFrom?: number;
  /** Roughly what it costs to keep. */
  readonly characters: number;
}

export type TrafficBatch = FeedBatch<TrafficEntry>;

export interface CheckFacts {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly callsTools: boolean;
}

export interface CheckRequest {
  /** Whether checks may call tools of the server. */
  readonly tools: 'call' | 'leave';
}
