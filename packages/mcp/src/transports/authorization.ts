import type { Principal, RequestHeaders } from '../protocol/origin.ts';

/** What `authorize` gets to see of a request. */
export interface AuthorizeRequest {
  readonly method: string;
  readonly headers: RequestHeaders;
}

/** Refuses a request. */
export interface Refusal {
  /** 401 asks the client to authorize itself, 403 tells it that it may not do this. */
  readonly status: 401 | 403;
  /** The header `WWW-Authenticate`, such as `Bearer resource_metadata="https://…"`. Default with 401: `Bearer`. */
  readonly wwwAuthenticate?: string;
  /** Shown to the client. Default: `Unauthorized` or `Forbidden`. */
  readonly message?: string;
}

/** Names the sender of a request, or refuses it; undefined refuses it with 401. */
export type Authorize = (
  request: AuthorizeRequest,
) => Principal | Refusal | undefined | Promise<Principal | Refusal | undefined>;

export function isPrincipal(outcome: Principal | Refusal | undefined): outcome is Principal {
  return typeof outcome === 'object' && outcome !== null && typeof (outcome as Principal).id === 'string';
}

/** The refusal that `authorize` returned; undefined stands for 401. Throws if it returned something else. */
export function refusalOf(outcome: Refusal | undefined): Refusal {
  if (outcome === undefined) return { status: 401, wwwAuthenticate: 'Bearer' };
  // Plain JavaScript may return anything, such as true.
  const { status } = (outcome ?? {}) as { status?: unknown };
  if (status === 401) return { wwwAuthenticate: 'Bearer', ...outcome };
  if (status === 403) return outcome;
  throw new TypeError(
    'authorize must return { id } for a principal, { status: 401 or 403 } for a refusal, or undefined',
  );
}
