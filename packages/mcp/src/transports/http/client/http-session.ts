import type { IncomingMessage } from 'node:http';
import type { Response } from '../../../jsonrpc/message.ts';
import type { Outbound } from './outbound.ts';

/** A stay that began with `initialize`, as far as HTTP has a part in it. */
export class HttpSession {
  readonly initialize: Outbound;
  /** Once it was sent. */
  initialized: Outbound | undefined;
  /** What the server calls it, if it does. */
  id: string | undefined;
  version: string | undefined;

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

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.id !== undefined) headers['Mcp-Session-Id'] = this.id;
    if (this.version !== undefined) headers['MCP-Protocol-Version'] = this.version;
    return headers;
  }
}
