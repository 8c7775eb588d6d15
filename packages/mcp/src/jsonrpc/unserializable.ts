import { ErrorCode, NotSerializable } from './errors.ts';
import type { Failure, Response } from './message.ts';

/** The error to send in place of a response that cannot be written as JSON. */
export function unserializable(response: Response, thrown: unknown): Failure {
  const why = thrown instanceof NotSerializable ? thrown.message : 'unknown reason';
  const message = `Internal error: the response cannot be written as JSON: ${why}`;
  return { jsonrpc: '2.0', id: response.id ?? null, error: { code: ErrorCode.InternalError, message } };
}
