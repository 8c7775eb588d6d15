import type { Principal } from '../../../protocol/origin.ts';
import { type Authorize, isPrincipal, refusalOf } from '../../authorization.ts';
import type { HttpCall } from './http-call.ts';
import { refuse } from './refuse.ts';

/** The principal; undefined when the request was refused. */
export async function authorized(authorize: Authorize, call: HttpCall): Promise<Principal | undefined> {
  const outcome = await authorize({ method: call.method, headers: call.headers });
  if (isPrincipal(outcome)) return outcome;
  const { status, wwwAuthenticate, message } = refusalOf(outcome);
  refuse(call, status, message ?? (status === 401 ? 'Unauthorized' : 'Forbidden'), {
    ...(wwwAuthenticate !== undefined && { headers: { 'WWW-Authenticate': wwwAuthenticate } }),
  });
  return undefined;
}
