import { encode } from '../../../jsonrpc/codec.ts';
import type { Outgoing } from '../../../jsonrpc/connection.ts';
import type { Message } from '../../../jsonrpc/message.ts';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** A message on its way out, and what HTTP must know of it. */
export class Outbound {
  readonly text: string;
  /** Undefined for an array of answers. */
  readonly message: Message | undefined;
  /** The revision it names itself: then it stands alone, outside of any session. */
  readonly version: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** How much of the queue it takes up. */
  waiting: number;

  /** Throws NotSerializable. */
  constructor(outgoing: Outgoing, headers: Readonly<Record<string, string>> | undefined) {
    this.text = encode(outgoing);
    this.message = Array.isArray(outgoing) ? undefined : (outgoing as Message);
    this.version = versionOf(this.message);
    this.headers = headers;
    this.waiting = this.text.length;
  }

  get method(): string | undefined {
    return this.message?.method;
  }

  /** Whether it is part of a session that is open already. */
  get isWithinSession(): boolean {
    return this.version === undefined && this.method !== 'initialize' && this.method !== 'notifications/initialized';
  }

  get isInitialize(): boolean {
    return this.version === undefined && this.method === 'initialize';
  }
}

function versionOf(message: Message | undefined): string | undefined {
  if (message?.method === undefined) return undefined;
  const { _meta } = (message.params ?? {}) as { _meta?: { [key: string]: unknown } | null };
  const version = _meta?.[VERSION_KEY];
  return typeof version === 'string' ? version : undefined;
}
