import { StoreUnavailable } from '../protocol/store-unavailable.ts';

/** Errors of the server that pass, and what clients may read of them. */
const TEMPORARY: Readonly<Record<string, string>> = {
  LOADING: 'Redis is loading its data',
  BUSY: 'Redis is busy',
  TRYAGAIN: 'Redis is moving data',
  CLUSTERDOWN: 'The Redis cluster is down',
  MASTERDOWN: 'The Redis master is down',
  READONLY: 'Redis is read-only',
  NOREPLICAS: 'Redis has too few replicas',
  UNBLOCKED: 'Redis has changed its role',
  MISCONF: 'Redis cannot save its data',
  NOSCRIPT: 'Redis has forgotten a script',
  OUTOFORDER: 'Redis missed a command',
};

/** The code of an error of the server; undefined if the server did not respond. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? /^([A-Z]{2,}) /.exec(error.message)?.[1] : undefined;
}

/** Whether the same command may succeed later. */
export function isTemporary(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || code in TEMPORARY;
}

/** Whether the server was not reached, or has just started. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || code === 'LOADING';
}

/** The cause may hold addresses, so it is not in the message. */
export function unavailable(cause: unknown): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  const code = codeOf(cause);
  if (code === 'OOM') return failure('Redis is out of memory', cause);
  if (code === undefined) return failure('Redis cannot be reached', cause);
  return failure(TEMPORARY[code] ?? `Redis has refused a command (${code})`, cause);
}

export function timedOut(milliseconds: number): StoreUnavailable {
  return new StoreUnavailable(`Redis did not respond within ${milliseconds} ms`);
}

export function closed(): StoreUnavailable {
  return new StoreUnavailable('The connection to Redis is closed');
}

function failure(message: string, cause: unknown): StoreUnavailable {
  return Object.assign(new StoreUnavailable(message), { cause });
}
