// What the stateless revisions (2026-07-28 on) say beside a request: every one names its client and its revision, and headers
// repeat parts of its body.
import { RpcError } from '../jsonrpc/errors.ts';
import { fromBase64, toBase64 } from './base64.ts';
import type { RequestHeaders } from './origin.ts';

/** Keys in `_meta`. Written out, because V8 finds members faster by a literal than by a concatenated string. */
export const MetaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The extension whose results may be tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The stateless revision that the parameters of a request or a notification name, if any. */
export function statelessVersionOf(params: unknown): string | undefined {
  const meta = (params as { _meta?: { readonly [key: string]: unknown } | null } | undefined)?._meta;
  const version = typeof meta === 'object' && meta !== null ? meta[MetaKey.protocolVersion] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** Whether the parameters of a request or a notification say that it is stateless. */
export function saysStateless(params: unknown): boolean {
  const meta = (params as { _meta?: { readonly [key: string]: unknown } | null } | undefined)?._meta;
  return typeof meta === 'object' && meta !== null && meta[MetaKey.protocolVersion] !== undefined;
}

export const StatelessErrorCode = {
  HeaderMismatch: -32020,
  MissingClientCapability: -32021,
  UnsupportedVersion: -32022,
} as const;

/** One question to the client, as it is sent within a response. */
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

/** The changes that `subscriptions/listen` asks for. */
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

/** The value of a header that was sent once, without the white space around it. */
export function header(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? withoutBlanks(value) : undefined;
}

export function headerMismatch(what: string): RpcError {
  return new RpcError(StatelessErrorCode.HeaderMismatch, `Header mismatch: ${what}`);
}

const PREFIX = '=?base64?';
const SUFFIX = '?=';
const PRINTABLE = /^[\x20-\x7e]+$/;
const CANONICAL_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** How a name or an argument is written in a header: as it is where a header can hold it, else as marked Base64. */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = String(value);
  // An empty header may be dropped on its way, and blanks at the ends always are.
  const plain = PRINTABLE.test(text) && text.trim() === text && !isMarked(text);
  return plain ? text : `${PREFIX}${toBase64(text)}${SUFFIX}`;
}

/** The value a header stands for; undefined when it is marked as Base64 and is not. */
export function decodeHeaderValue(header: string): string | undefined {
  if (!isMarked(header)) return header;
  const base64 = header.slice(PREFIX.length, -SUFFIX.length);
  if (!CANONICAL_BASE64.test(base64)) return undefined;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(fromBase64(base64));
  // If bytes were replaced, or unused bits are not zero, encoding the text again gives another value.
  return toBase64(text) === base64 ? text : undefined;
}

function isMarked(text: string): boolean {
  return text.length >= PREFIX.length + SUFFIX.length && text.startsWith(PREFIX) && text.endsWith(SUFFIX);
}

/** The text without spaces and tabs at its ends. A pattern would look at a run of blanks inside it once per blank. */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
