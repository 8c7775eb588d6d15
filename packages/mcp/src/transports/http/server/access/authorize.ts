import { type Arrival, requestOf } from '../../../../jsonrpc/codec.ts';
import { promiseOf } from '../../../../jsonrpc/thenable.ts';
import { inTime } from '../../../../jsonrpc/waiting.ts';
import type { Principal } from '../../../../protocol/origin.ts';
import { type Authorize, isPrincipal, type Refusal, refusalOf } from '../../../authorization.ts';
import type { HttpCall } from '../http-call.ts';
import { type RefusalOptions, refuse } from '../refuse.ts';

type ReportError = (error: Error) => void;

const MESSAGES = { 401: 'Unauthorized', 403: 'Forbidden', 503: 'Service Unavailable' } as const;

/** The principal; undefined when the request was refused. */
export async function authorized(
  authorize: Authorize,
  call: HttpCall,
  timeoutMs: number,
  onError: ReportError,
): Promise<Principal | undefined> {
  const late = new Error(`authorize did not settle within ${timeoutMs} ms`);
  let outcome: Awaited<ReturnType<Authorize>>;
  try {
    outcome = await inTime(authorize({ method: call.method, headers: call.headers }), timeoutMs, () => late);
  } catch (thrown) {
    if (thrown !== late) throw thrown;
    outcome = { status: 503, cause: late };
  }
  if (isPrincipal(outcome)) return outcome;
  sendRefusal(refusalOf(outcome), call, onError);
  return undefined;
}

/** Refuses the whole POST if its sender may not send one of the messages in it. */
export function refuseArrival(
  { refuseMessage }: Authorize,
  arrival: Arrival,
  principal: Principal,
  call: HttpCall,
  onError: ReportError,
): boolean {
  if (refuseMessage === undefined || arrival.kind === 'malformed') return false;
  for (const message of arrival.kind === 'batch' ? arrival.items : [arrival.message]) {
    if (!('method' in message) || message.method === undefined) continue;
    const refusal = refuseMessage(message, principal);
    if (refusal === undefined) continue;
    const promise = promiseOf(refusal);
    if (promise !== undefined) {
      promise.catch(onError);
      throw new TypeError('authorize.refuseMessage must return a refusal or undefined, got a promise');
    }
    sendRefusal(refusalOf(refusal), call, onError, { id: requestOf(arrival)?.id });
    return true;
  }
  return false;
}

function sendRefusal(refusal: Refusal, call: HttpCall, onError: ReportError, options: RefusalOptions = {}): void {
  const { status, wwwAuthenticate, message = MESSAGES[status], cause } = refusal;
  if (cause !== undefined) onError(cause);
  refuse(call, status, message, {
    ...options,
    ...(wwwAuthenticate !== undefined && { headers: { 'WWW-Authenticate': wwwAuthenticate } }),
  });
}
