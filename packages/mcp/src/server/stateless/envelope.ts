import type { Origin } from '../../jsonrpc/connection.ts';
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Request } from '../../jsonrpc/message.ts';
import { decodeHeaderValue } from '../../protocol/header-value.ts';
import type { Revision } from '../../protocol/revision.ts';
import { ALL_VERSIONS, findStatelessRevision } from '../../protocol/revisions/all.ts';
import { MetaKey, NAMED_BY, StatelessErrorCode, saysStateless } from '../../protocol/stateless.ts';
import { type ClientCapabilities, type Implementation, isLogLevel, type LogLevel } from '../../protocol/types.ts';

/** What a request of the stateless era says about itself. */
export interface Envelope {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** The least severe log message wanted; none when undefined. */
  readonly logLevel: LogLevel | undefined;
}

/** Whether a request is of the stateless era: its own meta data say so, or the header it came with. */
export function isStateless({ params }: Request, origin: Origin | undefined): boolean {
  if (saysStateless(params)) return true;
  const version = origin && header(origin, 'mcp-protocol-version');
  return version !== undefined && findStatelessRevision(version) !== undefined;
}

/** For the editions with sessions: a header that names a version must name one that is spoken here. */
export function checkVersionHeader(origin: Origin | undefined): void {
  const version = origin && header(origin, 'mcp-protocol-version');
  if (version === undefined || ALL_VERSIONS.includes(version)) return;
  origin?.answerWith(400);
  const message = `Unsupported protocol version in the header: ${version}; supported are ${ALL_VERSIONS.join(', ')}`;
  throw new RpcError(ErrorCode.InvalidRequest, message);
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
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw invalidMeta(MetaKey.logLevel, 'a log level');
  const method = origin && header(origin, 'mcp-method');
  if (origin) {
    expectHeader('MCP-Protocol-Version', header(origin, 'mcp-protocol-version'), version);
    if (method !== undefined) expectHeader('Mcp-Method', method, request.method);
  }
  const revision = findStatelessRevision(version);
  if (revision === undefined) {
    const data = { supported: ALL_VERSIONS, requested: version };
    throw new RpcError(StatelessErrorCode.UnsupportedVersion, `Unsupported protocol version: ${version}`, data);
  }
  if (origin) {
    expectHeader('Mcp-Method', method, request.method);
    expectName(origin, request);
  }
  return {
    revision,
    clientInfo: clientInfo as Implementation | undefined,
    clientCapabilities: clientCapabilities as ClientCapabilities,
    logLevel,
  };
}

/** A header's one value, without the white space around it. */
export function header({ headers }: Origin, name: string): string | undefined {
  const value = headers[name];
  if (typeof value !== 'string') return undefined;
  // Node's parser takes the white space away already; what it leaves is rare, and a pattern costs each time.
  const isTrimmed = !isBlank(value.charCodeAt(0)) && !isBlank(value.charCodeAt(value.length - 1));
  return isTrimmed ? value : value.replace(/^[ \t]+|[ \t]+$/g, '');
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

export function headerMismatch(what: string): RpcError {
  return new RpcError(StatelessErrorCode.HeaderMismatch, `Header mismatch: ${what}`);
}

function expectName(origin: Origin, { method, params }: Request): void {
  const member = NAMED_BY.get(method);
  const name = member && (params as { [member: string]: unknown } | undefined)?.[member];
  // A body without the name is for the method itself to refuse.
  if (typeof name !== 'string') return;
  const sent = header(origin, 'mcp-name');
  if (sent === undefined || decodeHeaderValue(sent) !== name) {
    throw headerMismatch(`Mcp-Name is ${sent ?? 'missing'}, the body says ${name}`);
  }
}

function expectHeader(name: string, sent: string | undefined, expected: string): void {
  if (sent !== expected) throw headerMismatch(`${name} is ${sent ?? 'missing'}, the body says ${expected}`);
}

function invalidMeta(key: string, expected: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid params: _meta["${key}"] must be ${expected}`);
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
