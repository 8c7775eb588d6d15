import { ConnectionClosed, RequestTimeout, RpcError } from '../jsonrpc/errors.ts';
import type { Revision } from '../protocol/revision.ts';
import { findStatelessRevision, NEWEST_STATELESS } from '../protocol/revisions/all.ts';
import { type DiscoverResult, StatelessErrorCode } from '../protocol/stateless.ts';

/** How a client and a server agree on a revision: by `initialize`, or on every request anew. */
export type Era = 'session' | 'stateless';

export type Finding =
  | { readonly era: 'stateless'; readonly revision: Revision; readonly discovered: DiscoverResult }
  | { readonly era: 'session'; readonly why: 'answer' | 'silence' };

const SILENT: Finding = { era: 'session', why: 'silence' };
const SESSION: Finding = { era: 'session', why: 'answer' };
const CORRECTABLE: readonly number[] = [StatelessErrorCode.HeaderMismatch, StatelessErrorCode.MissingClientCapability];

/**
 * Finds the era of a server by `server/discover`, which `discover` asks in the revision it is given. Whatever is no
 * answer of the stateless era means a session. Rejects when the answer tells nothing, because the server was not
 * reached or let nobody in.
 */
export async function findEra(discover: (revision: Revision) => Promise<unknown>): Promise<Finding> {
  const first = await attempt(discover, NEWEST_STATELESS);
  if (!('supported' in first)) return first;
  const revision = newestOf(first.supported);
  if (revision === undefined) return withoutCommon(first.supported);
  const second = await attempt(discover, revision);
  return 'supported' in second ? withoutCommon(second.supported) : second;
}

type Attempt = Finding | { readonly supported: readonly unknown[] };

async function attempt(discover: (revision: Revision) => Promise<unknown>, revision: Revision): Promise<Attempt> {
  let result: unknown;
  try {
    result = await discover(revision);
  } catch (error) {
    return judge(error);
  }
  if (!isDiscoverResult(result)) return SESSION;
  const common = newestOf(result.supportedVersions);
  return common === undefined ? SESSION : { era: 'stateless', revision: common, discovered: result };
}

function judge(error: unknown): Attempt {
  if (error instanceof RequestTimeout) return SILENT;
  if (error instanceof ConnectionClosed) {
    const hint = 'a server that cannot bear server/discover needs the option era: "session"';
    throw new ConnectionClosed(`${error.message} (${hint})`, { cause: error });
  }
  if (!(error instanceof RpcError) || isUnreached(error) || CORRECTABLE.includes(error.code)) throw error;
  const { supported } = (error.data ?? {}) as { supported?: unknown };
  return error.code === StatelessErrorCode.UnsupportedVersion && Array.isArray(supported) ? { supported } : SESSION;
}

function withoutCommon(supported: readonly unknown[]): Finding {
  const later = supported.filter((version) => typeof version === 'string' && version >= NEWEST_STATELESS.version);
  if (later.length === 0) return SESSION;
  throw new Error(`The server speaks MCP ${later.join(', ')}; this client speaks ${NEWEST_STATELESS.version}`);
}

function newestOf(versions: readonly unknown[]): Revision | undefined {
  return versions
    .map((version) => findStatelessRevision(String(version)))
    .filter((revision) => revision !== undefined)
    .sort((a, b) => (a.version < b.version ? 1 : -1))[0];
}

function isDiscoverResult(result: unknown): result is DiscoverResult {
  const { supportedVersions, capabilities } = (result ?? {}) as Partial<DiscoverResult>;
  return Array.isArray(supportedVersions) && typeof capabilities === 'object' && capabilities !== null;
}

/** Whether the transport says that the server was not reached, was not well, or let nobody in. */
export function isUnreached({ data }: RpcError): boolean {
  const { status, network } = (data ?? {}) as { status?: unknown; network?: unknown };
  if (typeof network === 'string') return true;
  return typeof status === 'number' && ([401, 403, 407, 429].includes(status) || status >= 500);
}
