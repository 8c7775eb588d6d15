import { decode, malformed } from '../../../jsonrpc/codec.ts';
import type { MessageSink } from '../../../jsonrpc/connection.ts';
import { ErrorCode } from '../../../jsonrpc/errors.ts';
import type { ConnectionLimits } from '../../../jsonrpc/limits.ts';
import type { Malformed, Message, Request, RequestId } from '../../../jsonrpc/message.ts';

/** What the body of a POST holds. */
export type Arrival =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'malformed'; readonly malformed: Malformed }
  | { readonly kind: 'batch'; readonly items: readonly (Message | Malformed)[] };

export function readArrival(text: string, limits: Required<ConnectionLimits>): Arrival {
  const reader = new ArrivalReader();
  decode(text, reader, undefined, limits);
  // Decoding skips blank texts; a body must hold something.
  return (
    reader.arrival ?? {
      kind: 'malformed',
      malformed: malformed(ErrorCode.ParseError, 'Parse error: the body is empty'),
    }
  );
}

export function requestOf(arrival: Arrival): Request | undefined {
  if (arrival.kind !== 'message') return undefined;
  const { message } = arrival;
  return message.method !== undefined && message.id !== undefined ? message : undefined;
}

class ArrivalReader implements MessageSink {
  arrival: Arrival | undefined = undefined;

  message(message: Message): void {
    this.arrival = { kind: 'message', message };
  }

  malformed(malformed: Malformed): void {
    this.arrival = { kind: 'malformed', malformed };
  }

  batch(items: readonly (Message | Malformed)[]): void {
    this.arrival = { kind: 'batch', items };
  }

  /** A response beyond a limit becomes an error for the process that waits for it. */
  refused(id: RequestId, { message }: Error): void {
    this.message({ jsonrpc: '2.0', id, error: { code: ErrorCode.InvalidRequest, message } });
  }
}
