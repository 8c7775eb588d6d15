import type { Principal, RequestHeaders } from '../../../protocol/origin.ts';
import type { HttpCall } from './http-call.ts';
import { refuse } from './refuse.ts';

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
  /** Default: `Unauthorized` or `Forbidden`. */
  readonly message?: string;
}

/** Names the sender of a request, or refuses it; undefined refuses it with 401. */
export type Authorize = (
  request: AuthorizeRequest,
) => Principal | Refusal | undefined | Promise<Principal | Refusal | undefined>;

/** The principal; undefined when the request was refused. */
export async function authorized(authorize: Authorize, call: HttpCall): Promise<Principal | undefined> {
  const outcome = await authorize({ method: call.method, headers: call.headers });
  if (isPrincipal(outcome)) return outcome;
  const { status, wwwAuthenticate, message } = refusalOf(outcome);
  const challenge = wwwAuthenticate ?? (status === 401 ? 'Bearer' : undefined);
  refuse(call, status, message ?? (status === 401 ? 'Unauthorized' : 'Forbidden'), {
    ...(challenge !== undefined && { headers: { 'WWW-Authenticate': challenge } }),
  });
  return undefined;
}

function isPrincipal(outcome: Principal | Refusal | undefined): outcome is Principal {
  return typeof outcome === 'object' && outcome !== null && typeof (outcome as Principal).id === 'string';
}

function refusalOf(outcome: Refusal | undefined): Refusal {
  if (outcome === undefined) return { status: 401 };
  // Plain JavaScript may return anything, such as true.
  const { status } = (outcome ?? {}) as { status?: unknown };
  if (status === 401 || status === 403) return outcome;
  throw new TypeError(
    'authorize must return { id } for a principal, { status: 401 or 403 } for a refusal, or undefined',
  );
}
