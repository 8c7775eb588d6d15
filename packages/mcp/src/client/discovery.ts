import { ConnectionClosed, NetworkError, RequestTimeout, RpcError } from '../jsonrpc/errors.ts';
import { HttpError } from '../protocol/http-error.ts';
import type { Revision } from '../protocol/revision.ts';
import { NEWEST_STATELESS, newerThanKnown, newestStatelessOf } from '../protocol/revisions/all.ts';
import { clip } from '../protocol/schema/problem.ts';
import { type DiscoverResult, StatelessErrorCode } from '../protocol/stateless.ts';

/** What `server/discover` found out: a stateless server, or one whose sessions begin with `initialize`. */
export type Discovery =
  | { readonly kind: 'stateless'; readonly revision: Revision; readonly discovered: DiscoverResult }
  | { readonly kind: 'session'; readonly why: 'response' | 'silence' };

const SILENT: Discovery = { kind: 'session', why: 'silence' };
const SESSION: Discovery = { kind: 'session', why: 'response' };
const CORRECTABLE: readonly number[] = [StatelessErrorCode.HeaderMismatch, StatelessErrorCode.MissingClientCapability];
const MAX_VERSIONS_SHOWN = 10;

/**
 * Finds the kind of a server by `server/discover`, which `discover` asks in the revision it is given. Every other response
 * than that of a stateless server means a session. Rejects when the server was not reached or denied access.
 */
export async function discoverServer(discover: (revision: Revision) => Promise<unknown>): Promise<Discovery> {
  const first = await attempt(discover, NEWEST_STATELESS);
  if (!('supported' in first)) return first;
  const revision = newestStatelessOf(first.supported);
  if (revision === undefined) return withoutCommonRevision(first.supported);
  const second = await attempt(discover, revision);
  return 'supported' in second ? withoutCommonRevision(second.supported) : second;
}

type Attempt = Discovery | { readonly supported: readonly unknown[] };

async function attempt(discover: (revision: Revision) => Promise<unknown>, revision: Revision): Promise<Attempt> {
  let result: unknown;
  try {
    result = await discover(revision);
  } catch (error) {
    return judge(error);
  }
  if (!isDiscoverResult(result)) return SESSION;
  const common = newestStatelessOf(result.supportedVersions);
  return common === undefined ? SESSION : { kind: 'stateless', revision: common, discovered: result };
}

function judge(error: unknown): Attempt {
  if (error instanceof RequestTimeout) return SILENT;
  if (error instanceof ConnectionClosed) {
    // The cause is known, such as a program that could not be started: the hint would mislead.
    if (error.cause !== undefined) throw error;
    const hint = 'if the server closes on server/discover, use the option negotiation: "initialize"';
    throw new ConnectionClosed(`${error.message} (${hint})`, { cause: error });
  }
  if (error instanceof HttpError && !error.isUnavailable) return SESSION;
  if (!(error instanceof RpcError) || CORRECTABLE.includes(error.code)) throw error;
  const { supported } = (error.data ?? {}) as { supported?: unknown };
  return error.code === StatelessErrorCode.UnsupportedVersion && Array.isArray(supported) ? { supported } : SESSION;
}

function withoutCommonRevision(supported: readonly unknown[]): Discovery {
  const newer = newerThanKnown(supported);
  if (newer.length === 0) return SESSION;
  const shown = clip(newer.slice(0, MAX_VERSIONS_SHOWN).join(', '), 200);
  throw new Error(`The server speaks MCP ${shown}; this client speaks ${NEWEST_STATELESS.version}`);
}

function isDiscoverResult(result: unknown): result is DiscoverResult {
  const { supportedVersions, capabilities } = (result ?? {}) as Partial<DiscoverResult>;
  return Array.isArray(supportedVersions) && typeof capabilities === 'object' && capabilities !== null;
}

/** Whether the server was not reached, was unavailable, or denied access. */
export function isUnreached(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof HttpError && error.isUnavailable);
}
