import { ErrorCode } from '../../../jsonrpc/errors.ts';
import { StatelessErrorCode } from '../../../protocol/stateless.ts';

const BAD_REQUEST: ReadonlySet<number> = new Set([
  ErrorCode.ParseError,
  ErrorCode.InvalidRequest,
  StatelessErrorCode.HeaderMismatch,
  StatelessErrorCode.MissingClientCapability,
  StatelessErrorCode.UnsupportedVersion,
]);

/** The HTTP status of an answer: errors of handlers have 200, because they are results of the protocol. */
export function statusOf(error: { readonly code: number } | null | undefined): number {
  return error && BAD_REQUEST.has(error.code) ? 400 : 200;
}

/** The HTTP status of a stateless request that no handler was called for. */
export function statusOfRefusal({ code }: { readonly code: number }): number {
  return code === ErrorCode.MethodNotFound ? 404 : 400;
}
