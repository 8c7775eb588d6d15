import type { Principal, RequestHeaders } from '../protocol/origin.ts';

/** Names the sender of a request, or refuses it; undefined refuses it with 401. `requireBearer` makes one. */
export interface Authorize {
  (request: AuthorizeRequest): Principal | Refusal | undefined | Promise<Principal | Refusal | undefined>;
  /**
   * Refuses a message that this principal may not send. Called for each request and notification of a POST before any of
   * them is handled. HTTP only: a WebSocket listener throws if it is given.
   */
  readonly refuseMessage?: (message: AuthorizeMessage, principal: Principal) => Refusal | undefined;
  /** Served over HTTP at its own path, to everyone. */
  readonly resourceMetadata?: ResourceMetadata;
}

export interface AuthorizeMessage {
  readonly method: string;
  readonly params?: unknown;
}

/** Tells clients where to get a token (RFC 9728). */
export interface ResourceMetadata {
  /** Such as `/.well-known/oauth-protected-resource/mcp`. */
  readonly path: string;
  readonly document: { readonly resource: string; readonly [member: string]: unknown };
}

/** What `authorize` gets to see of a request. */
export interface AuthorizeRequest {
  readonly method: string;
  readonly headers: RequestHeaders;
}

/** Refuses a request. */
export interface Refusal {
  /** 401 asks the client to authorize itself, 403 says that it may not do this, 503 that it can't be checked now. */
  readonly status: 401 | 403 | 503;
  /** The header `WWW-Authenticate`, such as `Bearer resource_metadata="https://…"`. Default with 401: `Bearer`. */
  readonly wwwAuthenticate?: string;
  /** Shown to the client. Default: `Unauthorized`, `Forbidden` or `Service Unavailable`. */
  readonly message?: string;
  /** Why the check failed. Reported to `onError`; the client does not get it. */
  readonly cause?: Error;
}

export function isPrincipal(outcome: Principal | Refusal | undefined): outcome is Principal {
  return typeof outcome === 'object' && outcome !== null && typeof (outcome as Principal).id === 'string';
}

/** The refusal that `authorize` returned; undefined stands for 401. Throws if it returned something else. */
export function refusalOf(outcome: Refusal | undefined): Refusal {
  if (outcome === undefined) return { status: 401, wwwAuthenticate: 'Bearer' };
  // Plain JavaScript may return anything, such as true.
  const { status } = (outcome ?? {}) as { status?: unknown };
  if (status === 401) return { wwwAuthenticate: 'Bearer', ...outcome };
  if (status === 403 || status === 503) return outcome;
  throw new TypeError(
    'authorize must return { id } for a principal, { status: 401, 403 or 503 } for a refusal, or undefined',
  );
}
