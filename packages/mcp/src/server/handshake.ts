import { RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revision.ts';
import { findRevision, NEWEST, SUPPORTED_VERSIONS } from '../protocol/revisions/all.ts';
import type { ClientCapabilities, Implementation } from '../protocol/types.ts';
import { invalidParams } from './invalid-params.ts';

/**
 * `lenient` answers a version we do not speak with our newest, as the specification wants. `strict` refuses it with
 * -32001, and refuses unknown capabilities and missing members with -32602.
 */
export type Negotiation = 'lenient' | 'strict';

export interface Handshake {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
}

/** What was agreed on with an `initialize`. Throws RpcError for one that cannot be agreed with. */
export function negotiate(params: Params | undefined, negotiation: Negotiation): Handshake {
  if (!isObject(params)) throw invalidParams('initialize', 'params must be an object');
  const { protocolVersion, clientInfo, capabilities } = params;
  if (typeof protocolVersion !== 'string') throw invalidParams('initialize', 'protocolVersion must be a string');
  if (clientInfo !== undefined && !isObject(clientInfo))
    throw invalidParams('initialize', 'clientInfo must be an object');
  if (capabilities !== undefined && capabilities !== null && !isObject(capabilities)) {
    throw invalidParams('initialize', 'capabilities must be an object');
  }
  if (negotiation === 'strict') requireStrict(protocolVersion, clientInfo, capabilities ?? {});
  return {
    revision: findRevision(protocolVersion) ?? NEWEST,
    // Only the outer shape is checked; the members are the client's own words about itself.
    clientInfo: clientInfo as Implementation | undefined,
    clientCapabilities: (capabilities ?? {}) as ClientCapabilities,
  };
}

export const INCOMPATIBLE_VERSION = -32001;

const CLIENT_CAPABILITIES = ['experimental', 'extensions', 'roots', 'sampling', 'elicitation', 'tasks'];

function requireStrict(requested: string, clientInfo: object | undefined, capabilities: object): void {
  const { name, version } = (clientInfo ?? {}) as { name?: unknown; version?: unknown };
  if (typeof name !== 'string') throw invalidParams('initialize', 'clientInfo.name must be a string');
  if (typeof version !== 'string') throw invalidParams('initialize', 'clientInfo.version must be a string');
  const unknown = Object.keys(capabilities).find((key) => !CLIENT_CAPABILITIES.includes(key));
  if (unknown !== undefined) throw invalidParams('initialize', `unknown capability ${JSON.stringify(unknown)}`);
  if (findRevision(requested) === undefined) {
    const data = { supported: SUPPORTED_VERSIONS, requested };
    throw new RpcError(INCOMPATIBLE_VERSION, `Incompatible protocol version: ${requested}`, data);
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
