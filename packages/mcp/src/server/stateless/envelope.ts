import { isObject, Prepared } from '../../jsonrpc/codec.ts';
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import { largeBytes } from '../../jsonrpc/limits.ts';
import type { Request } from '../../jsonrpc/message.ts';
import type { Origin, RequestHeaders } from '../../protocol/origin.ts';
import { decodeHeaderValue, withoutBlanks } from '../../protocol/parameter-headers.ts';
import type { Revision } from '../../protocol/revision.ts';
import { ALL_VERSIONS, findStatelessRevision } from '../../protocol/revisions/all.ts';
import { MetaKey, NAMED_BY, StatelessErrorCode } from '../../protocol/stateless.ts';
import { type ClientCapabilities, type Implementation, isLogLevel, type LogLevel } from '../../protocol/types.ts';
import { checkSize } from '../handshake.ts';
import { quoted } from '../invalid-params.ts';

/** What a stateless request says about itself. */
export interface Envelope {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** The least severe log message the client wants; none when undefined. */
  readonly logLevel: LogLevel | undefined;
}

/** Reads the envelope of a stateless request. The order of the checks is the one official clients expect. */
export function readEnvelope(request: Request, origin: Origin | undefined): Envelope {
  const { _meta: meta } = (request.params ?? {}) as { _meta?: { [key: string]: unknown } };
  const version = meta?.[MetaKey.protocolVersion];
  const clientCapabilities = meta?.[MetaKey.clientCapabilities];
  const clientInfo = meta?.[MetaKey.clientInfo];
  const logLevel = meta?.[MetaKey.logLevel];
  if (typeof version !== 'string') throw invalidMeta(MetaKey.protocolVersion, 'a string');
  if (!isObject(clientCapabilities)) throw invalidMeta(MetaKey.clientCapabilities, 'an object');
  if (clientInfo !== undefined && !isObject(clientInfo)) throw invalidMeta(MetaKey.clientInfo, 'an object');
  if (largeBytes(request) > 0) checkSize(request.method, clientInfo, clientCapabilities);
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw invalidMeta(MetaKey.logLevel, 'a log level');
  const headers = origin?.headers;
  const method = headers && header(headers, 'mcp-method');
  if (headers) {
    expectHeader('MCP-Protocol-Version', header(headers, 'mcp-protocol-version'), version);
    if (method !== undefined) expectHeader('Mcp-Method', method, request.method);
  }
  const revision = findStatelessRevision(version);
  if (revision === undefined) {
    const requested = quoted(version);
    const data = { supported: ALL_VERSIONS, requested };
    throw new RpcError(StatelessErrorCode.UnsupportedVersion, `Unsupported protocol version: ${requested}`, data);
  }
  if (headers) {
    expectHeader('Mcp-Method', method, request.method);
    expectName(headers, request);
  }
  return {
    revision,
    clientInfo: clientInfo as Implementation | undefined,
    clientCapabilities: clientCapabilities as ClientCapabilities,
    logLevel,
  };
}

/** The value of a header that was sent once, without the white space around it. */
export function header(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? withoutBlanks(value) : undefined;
}

export function headerMismatch(what: string): RpcError {
  return new RpcError(StatelessErrorCode.HeaderMismatch, `Header mismatch: ${what}`);
}

function expectName(headers: RequestHeaders, { method, params }: Request): void {
  const member = NAMED_BY.get(method);
  const name = member && (params as { [member: string]: unknown } | undefined)?.[member];
  // The method itself refuses a body without the name.
  if (typeof name !== 'string') return;
  const sent = header(headers, 'mcp-name');
  if (sent === undefined || decodeHeaderValue(sent) !== name) {
    throw headerMismatch(`Mcp-Name is ${sent ?? 'missing'}, the body says ${quoted(name)}`);
  }
}

function expectHeader(name: string, sent: string | undefined, expected: string): void {
  if (sent !== expected) throw headerMismatch(`${name} is ${sent ?? 'missing'}, the body says ${quoted(expected)}`);
}

function invalidMeta(key: string, expected: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid params: _meta["${key}"] must be ${expected}`);
}

export interface Caching {
  readonly ttlMs: number;
  /** `public` when every client gets the same. */
  readonly cacheScope: 'public' | 'private';
}

const NO_CACHING: Caching = { ttlMs: 0, cacheScope: 'private' };

/** Adds the members that stateless revisions require in results: their type, the server's name, and how long to cache them. */
export class StatelessResults {
  /** The server's name; one object for all results without `_meta`. */
  readonly #meta: object;
  readonly #caching: Caching;

  constructor(info: Implementation, caching: Caching = NO_CACHING) {
    this.#meta = { [MetaKey.serverInfo]: info };
    this.#caching = caching;
  }

  complete(result: unknown, method: string): unknown {
    // Pages of lists have these members already.
    if (result instanceof Prepared) return result;
    // Custom requests may have results that are not objects.
    if (result !== undefined && (typeof result !== 'object' || result === null || Array.isArray(result))) return result;
    const identified = this.#identify(result ?? {});
    const isCacheable = method === 'resources/read' || method === 'server/discover';
    return isCacheable && identified.resultType === 'complete' ? { ...this.#caching, ...identified } : identified;
  }

  /** A page of a list. */
  page(result: object): object {
    return { ...this.#caching, ...this.#identify(result) };
  }

  #identify(result: object): { readonly resultType: string; readonly _meta: object } {
    const { _meta } = result as { _meta?: object };
    return { resultType: 'complete', ...result, _meta: _meta ? { ..._meta, ...this.#meta } : this.#meta };
  }
}
