import { isObject } from '../jsonrpc/codec.ts';
import type { IncomingRequest } from '../jsonrpc/in-flight.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import type { OutputOf, Schema } from '../protocol/infer-schema.ts';
import type { Revision } from '../protocol/revision.ts';
import { describeProblems, type JsonSchema, type PreparedSchema, prepareSchema } from '../protocol/schema/validate.ts';
import type { InputRequest, InputRequests, InputResponses } from '../protocol/stateless.ts';
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Implementation,
  Root,
} from '../protocol/types.ts';

/** Sends questions to the client, and settles when all have a response. */
export type Ask = (requests: InputRequests, options?: CallOptions) => Promise<InputResponses>;

/** Sends the questions that a handler asks while it responds to a request. */
export interface Asker {
  ask(requests: InputRequests, options: CallOptions | undefined, during: IncomingRequest): Promise<InputResponses>;
}

/** A form for the user. */
export interface ElicitForm<S extends Schema = Schema> {
  readonly mode?: 'form';
  readonly message: string;
  /** Plain JSON Schema, or a schema of any library that follows Standard Schema. */
  readonly requestedSchema: S;
  /** The JSON Schema to send, for schema libraries that cannot produce one. */
  readonly requestedJsonSchema?: JsonSchema;
}

export type ElicitUrl = Extract<ElicitParams, { mode: 'url' }>;

/** The user's response to a form. Accepted content has been checked against the schema. */
export type CheckedElicitResult<Content> =
  | { action: 'accept'; content: Content }
  | { action: 'decline' | 'cancel'; content?: never };

export interface Elicit {
  <const S extends Schema>(form: ElicitForm<S>, options?: CallOptions): Promise<CheckedElicitResult<OutputOf<S>>>;
  (params: ElicitParams, options?: CallOptions): Promise<ElicitResult>;
}

/** Asks the client while a handler or a task works. Every function can be taken out of the object. */
export class Questions {
  readonly #ask: Ask;
  #asked: Map<string, number> | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Asks several questions at once and settles when all have a response. In MCP 2026-07-28 the handler runs again from its
   * beginning when the responses arrive, so what it did before must be safe to repeat. The keys tell the questions apart
   * and must be the same each time.
   */
  readonly ask: Ask = async (requests, options) => {
    const responses = await this.#ask(requests, options);
    const filled = Object.entries(responses).map(([key, response]) => [key, withContent(requests[key], response)]);
    return Object.fromEntries(filled);
  };

  /** Asks the user. */
  readonly elicit: Elicit = async (
    params: ElicitForm | ElicitUrl,
    options?: CallOptions,
  ): Promise<CheckedElicitResult<never>> => {
    if (params.mode === 'url') return (await this.#elicit({ ...params }, options)) as CheckedElicitResult<never>;
    const { requestedSchema, requestedJsonSchema, ...rest } = params;
    const schema = prepareForm(requestedSchema, requestedJsonSchema);
    const response = await this.#elicit({ ...rest, requestedSchema: schema.json }, options);
    if (response.action !== 'accept') return { action: response.action };
    const checked = await schema.check(response.content);
    if (!checked.ok)
      throw new Error(`The client's response does not fit: ${describeProblems(checked.problems, 'content')}`);
    // The schema has produced this value, and the caller's type was taken from the schema.
    return { action: 'accept', content: checked.value as never };
  };

  /** Requests sampling from the client. */
  readonly createMessage = async (params: CreateMessageParams, options?: CallOptions): Promise<CreateMessageResult> => {
    const request: InputRequest = { method: 'sampling/createMessage', params: { ...params } };
    return (await this.#askOne('sampling', request, options)) as CreateMessageResult;
  };

  /** The folders the client works in. */
  readonly listRoots = async (options?: CallOptions): Promise<Root[]> => {
    const request: InputRequest = { method: 'roots/list', params: {} };
    return ((await this.#askOne('roots', request, options)) as { roots: Root[] }).roots;
  };

  async #elicit(params: { [name: string]: unknown }, options: CallOptions | undefined): Promise<ElicitResult> {
    const request: InputRequest = { method: 'elicitation/create', params };
    return (await this.#askOne('elicitation', request, options)) as ElicitResult;
  }

  async #askOne(kind: string, request: InputRequest, options: CallOptions | undefined): Promise<unknown> {
    this.#asked ??= new Map();
    const count = (this.#asked.get(kind) ?? 0) + 1;
    this.#asked.set(kind, count);
    const key = count === 1 ? kind : `${kind}-${count}`;
    return (await this.ask({ [key]: request }, options))[key];
  }
}

/** A client in a session. `revision` is undefined before `initialize`; `send` rejects then. */
export interface SessionClient {
  readonly revision: Revision | undefined;
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** Sends each question as a request of its own. Rejects before any is sent if the client cannot respond to one of them. */
export async function askClient(
  { revision, info, capabilities }: SessionClient,
  requests: InputRequests,
  send: (method: string, params: Params | undefined) => Promise<unknown>,
): Promise<InputResponses> {
  if (revision !== undefined) {
    for (const request of Object.values(requests)) {
      const unknown = notPartOf(revision, request);
      if (unknown !== undefined) throw new Error(unknown);
      const missing = missingCapability(request, capabilities);
      if (missing !== undefined) {
        throw new Error(`${info?.name ?? 'The client'} does not offer ${describeCapability(missing)}`);
      }
    }
  }
  const responses = Object.entries(requests).map(async ([key, request]) => {
    const { method, params } = request;
    const isForm = method === 'elicitation/create' && params !== undefined;
    const response = await send(method, isForm ? revision?.shape.elicitation(params) : params);
    const problem = await problemOfResponse(request, response);
    if (problem !== undefined) throw new Error(`The client's response does not fit: ${problem}`);
    return [key, response] as const;
  });
  return Object.fromEntries(await Promise.all(responses));
}

/** Why the revision does not have this request; undefined when it has. */
function notPartOf(revision: Revision, { method, params = {} }: InputRequest): string | undefined {
  const { version, requests, urlElicitation, samplingTools } = revision;
  if (!requests.has(method)) return `${method} is not part of MCP ${version}`;
  if (params.mode === 'url' && !urlElicitation) return `Elicitation by url is not part of MCP ${version}`;
  if (params.tools !== undefined && !samplingTools) return `Sampling with tools is not part of MCP ${version}`;
  return undefined;
}

/** The capability in words, for messages. */
function describeCapability(missing: ClientCapabilities): string {
  if (missing.elicitation?.url) return 'elicitation by url';
  return missing.sampling?.tools ? 'sampling with tools' : Object.keys(missing).join();
}

/** The capability that the client must declare before it can be asked this; undefined when it does. */
export function missingCapability(
  { method, params = {} }: InputRequest,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  if (method === 'roots/list') return declared.roots ? undefined : { roots: {} };
  if (method === 'sampling/createMessage') {
    if (params.tools !== undefined || params.toolChoice !== undefined) {
      return declared.sampling?.tools ? undefined : { sampling: { tools: {} } };
    }
    return declared.sampling ? undefined : { sampling: {} };
  }
  const { elicitation: offered } = declared;
  if (params.mode === 'url') return offered?.url ? undefined : { elicitation: { url: {} } };
  // Before there were modes, clients declared forms with an empty object.
  const takesForms = offered && (offered.form !== undefined || offered.url === undefined);
  return takesForms ? undefined : { elicitation: { form: {} } };
}

/** What is wrong with a response to a question; undefined when it is fine. */
export async function problemOfResponse(
  { method, params = {} }: InputRequest,
  response: unknown,
): Promise<string | undefined> {
  if (typeof response !== 'object' || response === null) return 'expected an object';
  const result = response as { [member: string]: unknown };
  if (method === 'roots/list') return Array.isArray(result.roots) ? undefined : 'roots: expected an array';
  if (method === 'sampling/createMessage') {
    if (typeof result.model !== 'string') return 'model: expected a string';
    return typeof result.content === 'object' && result.content !== null ? undefined : 'content: expected an object';
  }
  const { action, content } = result;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    return 'action: expected "accept", "decline" or "cancel"';
  }
  if (action !== 'accept' || params.mode === 'url') return undefined;
  // Some clients accept an empty form without content.
  const checked = await prepareSchema(params.requestedSchema as JsonSchema).check(content === undefined ? {} : content);
  return checked.ok ? undefined : describeProblems(checked.problems, 'content');
}

/** Gives an accepted form without content an empty one. */
function withContent(request: InputRequest | undefined, response: unknown): unknown {
  if (request?.method !== 'elicitation/create') return response;
  const { content, ...result } = response as ElicitResult;
  if (isObject(content)) return response;
  return result.action === 'accept' && request.params?.mode !== 'url' ? { ...result, content: {} } : result;
}

function prepareForm(schema: Schema, described: JsonSchema | undefined): PreparedSchema {
  const prepared = prepareSchema(schema, described);
  if (!('~standard' in schema)) return prepared;
  // Forms are flat objects. Schema libraries add keywords that the specification does not have for them.
  const { $schema: _dialect, additionalProperties: _closed, ...json } = prepared.json;
  return { json, check: prepared.check };
}
