import type { ServedRequests } from '../../../../protocol/stateless-response.ts';
import { checkArguments } from '../check-options.ts';
import { HttpEndpoint } from '../endpoint.ts';
import type { EndpointOptions, HttpStats } from '../endpoint-options.ts';
import { FetchCall } from './fetch-call.ts';

export interface FetchHandlerOptions extends EndpointOptions {}

/** Responds to every request it gets, whatever its path. The promise never rejects. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** What this process holds now, for metrics. */
  stats(): HttpStats;
  /** Ends every response and session of this process. Sessions stay in the store. */
  close(): Promise<void>;
}

/** Makes a handler for runtimes and frameworks of the Fetch standard: Hono, Deno, Bun, workerd. */
export function createFetchHandler(server: ServedRequests, options: FetchHandlerOptions = {}): FetchHandler {
  checkArguments('createFetchHandler', server, options);
  const endpoint = new HttpEndpoint(server, options);
  const handle = (request: Request) => {
    const call = new FetchCall(request);
    endpoint.handle(call);
    return call.response;
  };
  return Object.assign(handle, { stats: () => endpoint.stats(), close: async () => endpoint.close() });
}
