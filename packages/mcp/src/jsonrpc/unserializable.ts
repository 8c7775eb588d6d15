import { ErrorCode, NotSerializable } from './errors.ts';
import type { Failure, Response } from './message.ts';

/** The error to send in place of an answer that cannot be written as JSON. */
export function unserializable(answer: Response, thrown: unknown): Failure {
  const why = thrown instanceof NotSerializable ? thrown.message : 'unknown reason';
  const message = `Internal error: the answer cannot be written as JSON: ${why}`;
  return { jsonrpc: '2.0', id: answer.id ?? null, error: { code: ErrorCode.InternalError, message } };
}
