import type { IncomingMessage } from 'node:http';
import type { Request, Response } from '../../../jsonrpc/message.ts';
import type { Outbound } from './outbound.ts';

/** A stay that began with `initialize`, as far as HTTP has a part in it. */
export class HttpSession {
  readonly initialize: Outbound;
  /** Once it was sent. */
  initialized: Outbound | undefined;
  /** What the server calls it, if it does. */
  id: string | undefined;
  version: string | undefined;
  /** What the server was asked to keep in mind, so that the next session can be asked for it, too. */
  wishes = new Map<string, Outbound>();

  constructor(initialize: Outbound, initialized?: Outbound) {
    this.initialize = initialize;
    this.initialized = initialized;
  }

  named({ headers }: IncomingMessage): void {
    const id = headers['mcp-session-id'];
    this.id = typeof id === 'string' && id !== '' ? id : undefined;
  }

  agreed(answer: Response): void {
    const { protocolVersion } = (('result' in answer ? answer.result : undefined) ?? {}) as {
      protocolVersion?: unknown;
    };
    this.version = typeof protocolVersion === 'string' ? protocolVersion : undefined;
  }

  /** Remembers a request that was granted, if it is one to keep in mind. */
  granted(outbound: Outbound): void {
    const { method, params } = outbound.message as Request;
    const { uri } = (params ?? {}) as { uri?: unknown };
    if (method === 'logging/setLevel') this.wishes.set(method, outbound);
    else if (method === 'resources/subscribe') this.wishes.set(`resource ${uri}`, outbound);
    else if (method === 'resources/unsubscribe') this.wishes.delete(`resource ${uri}`);
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.id !== undefined) headers['Mcp-Session-Id'] = this.id;
    if (this.version !== undefined) headers['MCP-Protocol-Version'] = this.version;
    return headers;
  }
}
