import { ConnectionClosed, NetworkError, RpcError } from '@hawser/mcp';
import { HttpError } from '@hawser/mcp/client';

/** What servers say when a fault ended a request. Each says what happened. */
const CLEAR_MESSAGES = [
  /process that worked on this request has died/,
  /process that ran this task has died/i,
  /No process works on task/,
  /closed before the response: /,
  /the session store failed/,
  /^Session not found$/,
  /Redis|[Ss]tore/,
];

/** The error in words if it tells a client what happened and that it may try again; undefined for any other. */
export function clearError(error: unknown): string | undefined {
  if (error instanceof NetworkError) return `NetworkError: ${error.message}`;
  if (error instanceof HttpError) {
    const saysWhy = !/: (Bad Gateway|Service Unavailable|Not Found|no reason given)$/.test(error.message);
    return [404, 502, 503, 504].includes(error.status) && saysWhy ? `HttpError: ${error.message}` : undefined;
  }
  if (error instanceof RpcError && CLEAR_MESSAGES.some((clear) => clear.test(error.message))) {
    return `RpcError ${error.code}: ${error.message}`;
  }
  return undefined;
}

export function describe(error: unknown): string {
  if (error instanceof ConnectionClosed) return `ConnectionClosed: ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  const code = error instanceof RpcError ? ` ${error.code}` : '';
  return `${error.name}${code}: ${error.message}`;
}
