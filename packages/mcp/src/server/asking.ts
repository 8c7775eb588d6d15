import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import type { Revision } from '../protocol/revision.ts';
import { describeProblems, type JsonSchema, prepareSchema } from '../protocol/schema/validate.ts';
import type { InputRequest, InputRequests, InputResponses } from '../protocol/stateless.ts';
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from '../protocol/types.ts';

/** Puts questions to the client, and settles when all of them are answered. */
export type Ask = (requests: InputRequests, options?: CallOptions) => Promise<InputResponses>;

/** Puts the questions that come up while a request is being answered. */
export interface Asker {
  ask(requests: InputRequests, options: CallOptions | undefined, during: IncomingRequest): Promise<InputResponses>;
}

/** Questions to the client that a handler or a task may put while it works. */
export class Questions {
  readonly #ask: Ask;
  #asked: Map<string, number> | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Puts several questions at once and settles when all are answered. In the stateless era a handler that asks is run
   * again from its beginning when the answers are there, so what it did before must bear repeating; the keys tell the
   * questions apart and must be the same each time.
   */
  ask(requests: InputRequests, options?: CallOptions): Promise<InputResponses> {
    return this.#ask(requests, options);
  }

  /** Asks the person at the client. Accepted content has been checked against the schema. */
  async elicit(params: ElicitParams, options?: CallOptions): Promise<ElicitResult> {
    const request: InputRequest = { method: 'elicitation/create', params: { ...params } };
    return (await this.#askOne('elicitation', request, options)) as ElicitResult;
  }

  /** Has the client's model write a message. */
  async createMessage(params: CreateMessageParams, options?: CallOptions): Promise<CreateMessageResult> {
    const request: InputRequest = { method: 'sampling/createMessage', params: { ...params } };
    return (await this.#askOne('sampling', request, options)) as CreateMessageResult;
  }

  /** The folders the client works in. */
  async listRoots(options?: CallOptions): Promise<Root[]> {
    const request: InputRequest = { method: 'roots/list', params: {} };
    return ((await this.#askOne('roots', request, options)) as { roots: Root[] }).roots;
  }

  async #askOne(kind: string, request: InputRequest, options: CallOptions | undefined): Promise<unknown> {
    this.#asked ??= new Map();
    const count = (this.#asked.get(kind) ?? 0) + 1;
    this.#asked.set(kind, count);
    const key = count === 1 ? kind : `${kind}-${count}`;
    return (await this.#ask({ [key]: request }, options))[key];
  }
}

/** Why an edition has no such question; undefined when it does. */
export function notPartOf(revision: Revision, { method, params = {} }: InputRequest): string | undefined {
  if (!revision.requests.has(method)) return `${method} is not part of MCP ${revision.version}`;
  if (revision.version >= '2025-11-25') return undefined;
  if (params.mode === 'url') return `Elicitation by url is not part of MCP ${revision.version}`;
  return params.tools === undefined ? undefined : `Sampling with tools is not part of MCP ${revision.version}`;
}

/** In words, for the side that asks. */
export function describeCapability(missing: ClientCapabilities): string {
  if (missing.elicitation?.url) return 'elicitation by url';
  return missing.sampling?.tools ? 'sampling with tools' : Object.keys(missing).join();
}

/** What a client must declare to be asked this; undefined when it does. */
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
  // An empty object is from before there were modes, and means forms.
  const takesForms = isObject(offered) && (offered.form !== undefined || offered.url === undefined);
  return takesForms ? undefined : { elicitation: { form: {} } };
}

/** What is wrong with an answer to a question; undefined when it is fine. */
export async function flawOfResponse(
  { method, params = {} }: InputRequest,
  response: unknown,
): Promise<string | undefined> {
  if (typeof response !== 'object' || response === null) return 'expected an object';
  const answer = response as { [member: string]: unknown };
  if (method === 'roots/list') return Array.isArray(answer.roots) ? undefined : 'roots: expected an array';
  if (method === 'sampling/createMessage') {
    if (typeof answer.model !== 'string') return 'model: expected a string';
    return typeof answer.content === 'object' && answer.content !== null ? undefined : 'content: expected an object';
  }
  const { action, content } = answer;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    return 'action: expected "accept", "decline" or "cancel"';
  }
  if (action !== 'accept' || params.mode === 'url') return undefined;
  const checked = await prepareSchema(params.requestedSchema as JsonSchema).check(content ?? {});
  return checked.ok ? undefined : describeProblems(checked.problems, 'content');
}

function isObject<T>(value: T | null | undefined): value is T {
  return typeof value === 'object' && value !== null;
}
