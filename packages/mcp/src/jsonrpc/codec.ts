import type { MessageSink, Outgoing } from './connection.ts';
import { ErrorCode, LimitExceeded, messageOf, NotSerializable } from './errors.ts';
import { type ConnectionLimits, countValues, DEFAULT_CONNECTION_LIMITS, noteBytes } from './limits.ts';
import type { ErrorObject, Malformed, Message, Request, RequestId } from './message.ts';

/** Texts up to this length, which nearly every message is, hold too few values to count them. */
const SHORT_CHARS = 2000;

/**
 * Turns one text into a call of the receiver. Never throws because of what the text holds, and never parses a text
 * beyond the limits.
 */
export function decode(
  text: string,
  receiver: MessageSink,
  origin?: unknown,
  limits: Required<ConnectionLimits> = DEFAULT_CONNECTION_LIMITS,
): void {
  if (text.length > limits.maxMessageBytes) {
    decodeOversized(text.slice(0, PEEK_CHARS), text.slice(-PEEK_CHARS), limits.maxMessageBytes, receiver);
    return;
  }
  const isShort = text.length <= Math.min(SHORT_CHARS, 2 * limits.maxDepth, limits.maxValues);
  const values = isShort ? 0 : countValues(text, limits);
  if (typeof values === 'string') {
    refuse(text.slice(0, PEEK_CHARS), text.slice(-PEEK_CHARS), values, receiver);
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    decodeUnparsable(text, error, receiver, origin);
    return;
  }
  if (!isShort) noteBytes(text, values, value);
  decodeValue(value, receiver, origin);
}

/** What one text holds, such as the body of a POST. */
export type Arrival =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'malformed'; readonly malformed: Malformed }
  | { readonly kind: 'batch'; readonly items: readonly (Message | Malformed)[] };

/** Decodes one text and returns what it holds, instead of passing it to a receiver. */
export function readArrival(text: string, limits: Required<ConnectionLimits>): Arrival {
  const reader = new ArrivalReader();
  decode(text, reader, undefined, limits);
  // Decoding skips blank texts; a body must hold something.
  return (
    reader.arrival ?? {
      kind: 'malformed',
      malformed: malformed(ErrorCode.ParseError, 'Parse error: the body is empty'),
    }
  );
}

export function requestOf(arrival: Arrival): Request | undefined {
  if (arrival.kind !== 'message') return undefined;
  const { message } = arrival;
  return message.method !== undefined && message.id !== undefined ? message : undefined;
}

class ArrivalReader implements MessageSink {
  arrival: Arrival | undefined = undefined;

  message(message: Message): void {
    this.arrival = { kind: 'message', message };
  }

  malformed(malformed: Malformed): void {
    this.arrival = { kind: 'malformed', malformed };
  }

  batch(items: readonly (Message | Malformed)[]): void {
    this.arrival = { kind: 'batch', items };
  }

  /** A response beyond a limit becomes an error for the process that waits for it. */
  refused(id: RequestId, { message }: Error): void {
    this.message({ jsonrpc: '2.0', id, error: { code: ErrorCode.InvalidRequest, message } });
  }
}

/** The text of a message, without a line end. Throws NotSerializable. */
export function encode(outgoing: Outgoing): string {
  try {
    if (Array.isArray(outgoing)) return `[${outgoing.map(encodeMessage).join(',')}]`;
    return encodeMessage(outgoing as Message);
  } catch (error) {
    throw error instanceof NotSerializable ? error : new NotSerializable(messageOf(error));
  }
}

/** A result with its JSON, written once for many sessions. */
export class Prepared {
  readonly value: object;
  readonly json: string;

  constructor(value: object) {
    this.value = value;
    this.json = JSON.stringify(value);
  }
}

/** Refuses a message over the size limit, of which only the beginning and the end were kept. */
export function decodeOversized(head: string, tail: string, limit: number, receiver: MessageSink): void {
  refuse(head, tail, `Message is larger than the limit of ${limit} bytes`, receiver);
}

/** How much of the beginning and the end of a refused message is searched for its id. */
export const PEEK_CHARS = 512;

function refuse(head: string, tail: string, message: string, receiver: MessageSink): void {
  const id = peekId(head, tail);
  // A refused response settles its request and gets no response itself.
  if (id !== undefined && RESPONSE_HEAD.test(head)) receiver.refused(id, new LimitExceeded(message));
  else receiver.malformed({ error: { code: ErrorCode.InvalidRequest, message }, id });
}

export function malformed(code: number, message: string, id?: RequestId): Malformed {
  return { error: { code, message }, id };
}

export function isMalformed(item: Message | Malformed): item is Malformed {
  return !('jsonrpc' in item);
}

function decodeUnparsable(text: string, error: unknown, receiver: MessageSink, origin: unknown): void {
  const trimmed = text.trim(); // removes a byte order mark too
  if (trimmed === '') return;
  if (text.charCodeAt(0) === 0xfeff) {
    try {
      decodeValue(JSON.parse(trimmed), receiver, origin);
      return;
    } catch {
      // Reported below, with the message of the first attempt.
    }
  }
  receiver.malformed(malformed(ErrorCode.ParseError, `Parse error: ${messageOf(error)}`));
}

/** Turns a JSON value into a call of the receiver; for transports whose messages are not JSON texts. */
export function decodeValue(value: unknown, receiver: MessageSink, origin?: unknown): void {
  if (Array.isArray(value)) {
    receiver.batch(
      value.map((item) => problemOf(item) ?? (item as Message)),
      origin,
    );
    return;
  }
  const problem = problemOf(value);
  if (problem === undefined) receiver.message(value as Message, origin);
  else receiver.malformed(problem);
}

/** Checks the envelope by hand, once; what passes is a Message. */
function problemOf(value: unknown): Malformed | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return malformed(ErrorCode.InvalidRequest, 'Invalid request: a message is a JSON object');
  }
  const candidate = value as { [member: string]: unknown };
  const { id, method, params } = candidate;
  if (candidate.jsonrpc !== '2.0') return invalid('"jsonrpc" must be "2.0"', id);
  if (method !== undefined) {
    if (typeof method !== 'string') return invalid('"method" must be a string', id);
    if (id !== undefined && !isRequestId(id)) return invalid('"id" must be a string or an integer', undefined);
    if (params === undefined || (typeof params === 'object' && params !== null)) return undefined;
    if (params !== null) return invalid('"params" must be an object or an array', id);
    delete candidate.params; // some peers send null for absent
    return undefined;
  }
  return problemOfResponse(candidate);
}

function problemOfResponse(candidate: { [member: string]: unknown }): Malformed | undefined {
  const { id, error } = candidate;
  if (error !== undefined && error !== null) {
    if (id !== undefined && id !== null && !isRequestId(id)) {
      return invalid('"id" must be a string or an integer', undefined);
    }
    if (!isErrorObject(error)) {
      const data = error;
      candidate.error = { code: ErrorCode.InternalError, message: 'The peer sent a malformed error', data };
    }
    return undefined;
  }
  if (!('result' in candidate)) return invalid('neither a method, nor a result, nor an error', id);
  if (!isRequestId(id)) return invalid('"id" must be a string or an integer', undefined);
  return undefined;
}

function isErrorObject(error: unknown): error is ErrorObject {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as { [member: string]: unknown };
  return typeof code === 'number' && typeof message === 'string';
}

function invalid(what: string, id: unknown): Malformed {
  return malformed(ErrorCode.InvalidRequest, `Invalid request: ${what}`, isRequestId(id) ? id : undefined);
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function encodeMessage(message: Message): string {
  if (!('result' in message)) return JSON.stringify(message);
  const { id, result } = message;
  const json = result instanceof Prepared ? result.json : (encodeText(result) ?? JSON.stringify(result));
  if (json === undefined) throw new NotSerializable(`a ${typeof result} is not a JSON value`);
  // Not `${id}`: V8 remembers the text of each number, and each one survives its collections, which take three times as long.
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`;
}

/**
 * The JSON of a result that is one text, which most tools respond with; undefined for any other. Takes half the time of
 * JSON.stringify on the object.
 */
function encodeText(result: unknown): string | undefined {
  if (!hasKeys(result, 1)) return undefined;
  const { content } = result;
  if (!Array.isArray(content) || content.length !== 1 || 'toJSON' in content) return undefined;
  const item: unknown = content[0];
  if (!hasKeys(item, 2)) return undefined;
  const { type, text } = item;
  if (type !== 'text' || typeof text !== 'string') return undefined;
  return `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
}

function hasKeys(value: unknown, count: number): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.keys(value).length === count && !('toJSON' in value);
}

const ID = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)`;
const PLAIN_MEMBER = String.raw`"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*`;
// Only the id of the envelope counts: before any nested value, or last before the closing brace.
const ID_AT_HEAD = new RegExp(String.raw`^\s*\{\s*(?:${PLAIN_MEMBER}){0,2}${ID}\s*,`);
const ID_AT_TAIL = new RegExp(String.raw`,\s*${ID}\s*\}\s*$`);
const RESPONSE_HEAD = new RegExp(
  String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2.0"\s*,\s*|${ID}\s*,\s*){0,2}"(?:result|error)"`,
);

function peekId(head: string, tail: string): RequestId | undefined {
  const found = ID_AT_HEAD.exec(head)?.[1] ?? ID_AT_TAIL.exec(tail)?.[1];
  if (found === undefined) return undefined;
  try {
    const id: unknown = JSON.parse(found);
    return isRequestId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is what JSON calls an object: an array is none. */
export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
