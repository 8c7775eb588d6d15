import type { Request, Response } from '../../../jsonrpc/message.ts';
import type { HttpResponse } from './http-sender.ts';
import type { Outbound } from './outbound.ts';

const LISTS = ['tools', 'prompts', 'resources'];

/** The HTTP state of one session. */
export class HttpSession {
  readonly initialize: Outbound;
  /** Undefined until it is sent. */
  initialized: Outbound | undefined;
  /** Undefined when the server gave none. */
  id: string | undefined;
  version: string | undefined;
  /** The lists whose changes the server announces. */
  lists: readonly string[] = [];
  /** Requests that changed the server's state and are sent again when the session is replaced. */
  replayedRequests = new Map<string, Outbound>();

  readonly #since = performance.now();

  constructor(initialize: Outbound, initialized?: Outbound) {
    this.initialize = initialize;
    this.initialized = initialized;
  }

  get ageMs(): number {
    return performance.now() - this.#since;
  }

  /** Takes the id from the response to `initialize`. */
  setId(response: HttpResponse): void {
    this.id = response.header('mcp-session-id') || undefined;
  }

  /** Takes the revision and the lists from the response to `initialize`. */
  setVersion(response: Response): void {
    const { protocolVersion, capabilities } = (('result' in response ? response.result : undefined) ?? {}) as {
      protocolVersion?: unknown;
      capabilities?: { readonly [list: string]: { readonly listChanged?: unknown } | null | undefined } | null;
    };
    this.lists = LISTS.filter((list) => capabilities?.[list]?.listChanged === true);
    // It is sent back in a header.
    const isSendable = typeof protocolVersion === 'string' && /^[\x21-\x7e]+$/.test(protocolVersion);
    this.version = isSendable ? protocolVersion : undefined;
  }

  /** Remembers a request that succeeded, if it must be replayed. */
  succeeded(outbound: Outbound): void {
    const { method, params } = outbound.message as Request;
    const { uri } = (params ?? {}) as { uri?: unknown };
    if (method === 'logging/setLevel') this.replayedRequests.set(method, outbound);
    else if (method === 'resources/subscribe') this.replayedRequests.set(`resource ${uri}`, outbound);
    else if (method === 'resources/unsubscribe') this.replayedRequests.delete(`resource ${uri}`);
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.id !== undefined) headers['Mcp-Session-Id'] = this.id;
    if (this.version !== undefined) headers['MCP-Protocol-Version'] = this.version;
    return headers;
  }
}
