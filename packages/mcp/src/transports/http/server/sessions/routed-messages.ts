import { type Arrival, encode } from '../../../../jsonrpc/codec.ts';
import { ErrorCode, NotSerializable, RpcError } from '../../../../jsonrpc/errors.ts';
import type { Malformed, Message } from '../../../../jsonrpc/message.ts';
import { findRevision } from '../../../../protocol/revisions/all.ts';

export interface Routed {
  /** Messages that only the process that waits for them can use: responses and cancellations. */
  readonly texts: readonly string[];
  /** What any process can handle; undefined when nothing is left. */
  readonly rest: Arrival | undefined;
}

/** Separates what is routed to the process that waits for it. Throws RpcError for a message that cannot be routed. */
export function routed(arrival: Arrival, protocolVersion: string | undefined): Routed {
  if (arrival.kind === 'message' && isRouted(arrival.message)) {
    return { texts: [textOf(arrival.message)], rest: undefined };
  }
  const batches = protocolVersion !== undefined && findRevision(protocolVersion)?.batches === true;
  if (arrival.kind !== 'batch' || !batches) return { texts: [], rest: arrival };
  const texts = arrival.items.filter(isRouted).map(textOf);
  const items = arrival.items.filter((item) => !isRouted(item));
  const isEmpty = texts.length > 0 && items.length === 0;
  return { texts, rest: isEmpty ? undefined : { kind: 'batch', items } };
}

function isRouted(item: Message | Malformed): item is Message {
  if (!('jsonrpc' in item)) return false;
  return item.method === undefined || (item.method === 'notifications/cancelled' && item.id === undefined);
}

/** JSON that can be parsed may be nested too deeply to be written again. */
function textOf(message: Message): string {
  try {
    return encode(message);
  } catch (error) {
    if (!(error instanceof NotSerializable)) throw error;
    throw new RpcError(ErrorCode.InvalidRequest, `Invalid request: the message cannot be passed on: ${error.message}`);
  }
}
