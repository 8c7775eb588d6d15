import { ErrorCode } from '../../../jsonrpc/errors.ts';
import { StatelessErrorCode } from '../../../protocol/stateless.ts';
import type { ResponseKind } from '../../../protocol/stateless-response.ts';
import { StoreUnavailable } from '../../../protocol/store-unavailable.ts';

const BAD_REQUEST: ReadonlySet<number> = new Set([
  ErrorCode.ParseError,
  ErrorCode.InvalidRequest,
  StatelessErrorCode.HeaderMismatch,
  StatelessErrorCode.MissingClientCapability,
  StatelessErrorCode.UnsupportedVersion,
]);

/** The HTTP status of an error: those of handlers have 200, because they are results of the protocol. */
export function statusOf({ code }: { readonly code: number }, kind?: ResponseKind): number {
  if (kind !== undefined) return kind === 'not found' ? 404 : 503;
  return BAD_REQUEST.has(code) ? 400 : 200;
}

/** The HTTP status of a stateless request that no handler was called for. */
export function statusOfRefusal({ code }: { readonly code: number }): number {
  if (code === ErrorCode.LimitReached) return 503;
  return code === ErrorCode.MethodNotFound ? 404 : 400;
}

/** The HTTP status of a request that failed because of this server. */
export function statusOfFailure(error: unknown): number {
  return error instanceof StoreUnavailable ? 503 : 500;
}

/** What a client may read of such a failure. Other errors than StoreUnavailable may hold secrets. */
export function describeFailure(error: unknown, what: string): string {
  return error instanceof StoreUnavailable ? `${what}: ${error.message}` : what;
}
