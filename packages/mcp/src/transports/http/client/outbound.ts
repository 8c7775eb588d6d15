import { encode } from '../../../jsonrpc/codec.ts';
import type { Outgoing, SendHints } from '../../../jsonrpc/connection.ts';
import type { Message } from '../../../jsonrpc/message.ts';
import { httpHintsOf } from '../../../protocol/http-hints.ts';
import { statelessVersionOf } from '../../../protocol/stateless.ts';

/** What a queued message takes besides its text. */
const OVERHEAD_BYTES = 512;

const encoder = new TextEncoder();

/** Of the text in UTF-8. */
function byteLength(text: string): number {
  // Node counts without making the bytes.
  return typeof Buffer === 'function' ? Buffer.byteLength(text) : encoder.encode(text).length;
}

/** A message to be sent, with what HTTP must know about it. */
export class Outbound {
  readonly text: string;
  /** Undefined for an array of responses. */
  readonly message: Message | undefined;
  /** The revision that a stateless message names; undefined for a message of a session. */
  readonly version: string | undefined;
  /** Headers for this message alone. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Bytes of the queue that it occupies. */
  queuedBytes: number;

  /** Throws NotSerializable. */
  constructor(outgoing: Outgoing, hints: SendHints | undefined) {
    this.text = encode(outgoing);
    this.message = Array.isArray(outgoing) ? undefined : (outgoing as Message);
    this.version = this.message?.method === undefined ? undefined : statelessVersionOf(this.message.params);
    this.headers = httpHintsOf(hints).headers;
    this.queuedBytes = byteLength(this.text) + OVERHEAD_BYTES;
  }

  get method(): string | undefined {
    return this.message?.method;
  }

  /** Whether it belongs to a session that is already open. */
  get isWithinSession(): boolean {
    return this.version === undefined && this.method !== 'initialize' && this.method !== 'notifications/initialized';
  }

  get isInitialize(): boolean {
    return this.version === undefined && this.method === 'initialize';
  }
  /** The headers of the POST that carries it. `session` is the current session, if there is one. */
  postHeaders(session: { headers(): Record<string, string> } | undefined): Record<string, string> {
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    if (this.version !== undefined) {
      headers['MCP-Protocol-Version'] = this.version;
      headers['Mcp-Method'] = this.method as string;
    } else if (!this.isInitialize) {
      Object.assign(headers, session?.headers());
    }
    return this.headers === undefined ? headers : Object.assign(headers, this.headers);
  }
}
