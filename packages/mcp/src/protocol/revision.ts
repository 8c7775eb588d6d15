import type {
  CallToolResult,
  CompleteParams,
  ContentBlock,
  Implementation,
  Progress,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Root,
  Tool,
} from './types.ts';

/** One dated revision of the protocol: what exists in it, and how our messages are adapted to it. */
export interface Revision {
  readonly version: string;
  /** Whether requests need no session; otherwise a session begins with `initialize`. */
  readonly stateless: boolean;
  /** Every request of this revision, and which side responds to it. */
  readonly requests: ReadonlyMap<string, Responder>;
  /** Whether an array of messages is accepted. */
  readonly batches: boolean;
  /** The id of an error whose request could not be read. */
  readonly unreadableId: null | undefined;
  /** The response to a tool call with invalid arguments: a JSON-RPC error, or a result the model can read. */
  readonly invalidToolInput: 'error' | 'result';
  readonly resourceNotFoundCode: number;
  /** Whether structured content may be any JSON value, or is always an object. */
  readonly structuredContent: 'any' | 'object';
  /** Whether an event stream begins with an empty event, from whose id a client can resume. */
  readonly primedStreams: boolean;
  /** Whether a server can ask the user to open a URL. */
  readonly urlElicitation: boolean;
  /** Whether a server can offer tools to the client's model. */
  readonly samplingTools: boolean;
  readonly shape: WireShape;
}

export type Responder = 'server' | 'client' | 'both';

/** Removes, or expresses differently, what a revision does not know. */
export interface WireShape {
  implementation(info: Implementation): Implementation;
  tool(tool: Tool): Tool;
  toolResult(result: CallToolResult): CallToolResult;
  content(block: ContentBlock): ContentBlock;
  resource(resource: Resource): Resource;
  resourceTemplate(template: ResourceTemplate): ResourceTemplate;
  resourceContents(contents: ResourceContents): ResourceContents;
  prompt(prompt: Prompt): Prompt;
  completion(params: CompleteParams): CompleteParams;
  progress(progress: Progress): Progress;
  root(root: Root): Root;
  elicitation(params: { readonly [name: string]: unknown }): { readonly [name: string]: unknown };
}
