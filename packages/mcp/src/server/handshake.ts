import { isObject } from '../jsonrpc/codec.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { countValues } from '../jsonrpc/limits.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revision.ts';
import { findRevision, NEWEST, SUPPORTED_VERSIONS } from '../protocol/revisions/all.ts';
import type { ClientCapabilities, Implementation, InitializeResult, ServerCapabilities } from '../protocol/types.ts';
import { invalidParams, quoted } from './invalid-params.ts';
import type { ServerHost } from './server-host.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * `lenient` responds to a version that the server does not speak with its newest, as the specification says. `strict`
 * refuses it with -32001, and unknown capabilities with -32602.
 */
export type Negotiation = 'lenient' | 'strict';

export interface Handshake {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
}

/** A session, or a task, keeps what its client says about itself, so that is limited. */
export const HANDSHAKE_LIMITS = { maxKeptBytes: 64 * 1024, maxKeptValues: 1000 } as const;

/** Reads an `initialize`. Throws RpcError for one that is refused. */
export function negotiate(params: Params | undefined, options: ServerOptions): Handshake {
  if (!isObject(params)) throw invalidParams('initialize', 'params must be an object');
  const { protocolVersion, clientInfo, capabilities } = params;
  if (typeof protocolVersion !== 'string') throw invalidParams('initialize', 'protocolVersion must be a string');
  checkClientInfo(clientInfo, options);
  if (capabilities !== undefined && capabilities !== null && !isObject(capabilities)) {
    throw invalidParams('initialize', 'capabilities must be an object');
  }
  checkSize('initialize', clientInfo, capabilities);
  if (options.negotiation === 'strict') requireStrict(protocolVersion, capabilities ?? {});
  return {
    revision: findRevision(protocolVersion) ?? NEWEST,
    // Name and version are checked. The other members are only passed on to handlers.
    clientInfo: clientInfo as Implementation | undefined,
    clientCapabilities: (capabilities ?? {}) as ClientCapabilities,
  };
}

/** The response to an `initialize` that was accepted. */
export function initializeResult({ info, options, methods }: ServerHost, revision: Revision): InitializeResult {
  const capabilities = methods.capabilities(revision);
  const known = revision.shape.implementation(info);
  const serverInfo = options.negotiation === 'strict' ? { ...known, capabilities } : known;
  const result: InitializeResult = { protocolVersion: revision.version, capabilities, serverInfo };
  if (options.instructions !== undefined) result.instructions = options.instructions;
  return result;
}

/** The capabilities of a server that can send nothing after its response. */
export function withoutSession({ tools, resources, prompts, ...others }: ServerCapabilities): ServerCapabilities {
  return {
    ...others,
    ...(tools && { tools: {} }),
    ...(resources && { resources: {} }),
    ...(prompts && { prompts: {} }),
  };
}

const INCOMPATIBLE_VERSION = -32001;

const CLIENT_CAPABILITIES = ['experimental', 'extensions', 'roots', 'sampling', 'elicitation', 'tasks'];

function checkClientInfo(clientInfo: unknown, { admitAnonymousClients }: ServerOptions): void {
  if (clientInfo === undefined && admitAnonymousClients) return;
  if (!isObject(clientInfo)) throw invalidParams('initialize', 'clientInfo must be an object');
  const { name, version } = clientInfo;
  if (typeof name !== 'string') throw invalidParams('initialize', 'clientInfo.name must be a string');
  if (typeof version !== 'string') throw invalidParams('initialize', 'clientInfo.version must be a string');
}

/** Throws RpcError if they are too large to keep. */
export function checkSize(method: string, clientInfo: unknown, capabilities: unknown): void {
  const { maxKeptBytes, maxKeptValues } = HANDSHAKE_LIMITS;
  const json = JSON.stringify([clientInfo, capabilities]);
  const bytes = new TextEncoder().encode(json).length;
  if (bytes > maxKeptBytes) {
    const problem = `clientInfo and capabilities take ${bytes} bytes; at most ${maxKeptBytes} are accepted`;
    throw invalidParams(method, problem);
  }
  if (typeof countValues(json, { maxValues: maxKeptValues, maxDepth: Number.POSITIVE_INFINITY }) === 'string') {
    throw invalidParams(method, `clientInfo and capabilities hold more than ${maxKeptValues} values`);
  }
}

function requireStrict(requested: string, capabilities: object): void {
  const unknown = Object.keys(capabilities).find((key) => !CLIENT_CAPABILITIES.includes(key));
  if (unknown !== undefined) throw invalidParams('initialize', `unknown capability ${JSON.stringify(quoted(unknown))}`);
  if (findRevision(requested) === undefined) {
    const data = { supported: SUPPORTED_VERSIONS, requested: quoted(requested) };
    throw new RpcError(INCOMPATIBLE_VERSION, `Incompatible protocol version: ${quoted(requested)}`, data);
  }
}
