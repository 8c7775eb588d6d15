import type { Connection } from '../jsonrpc/connection.ts';
import { ErrorCode } from '../jsonrpc/errors.ts';
import type { Failure, Malformed, Message } from '../jsonrpc/message.ts';

/** What the official SDK calls a transport, by its shape alone. */
export interface SdkTransport {
  onmessage?: (message: unknown) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Lets a client or server of the official TypeScript SDK, v1 or v2, run over one of our connections. */
export function sdkTransport(connection: Connection): SdkTransport {
  // The SDK runs notification handlers a microtask late, and drops progress whose answer it has seen by then.
  let lastTurn: Promise<void> = Promise.resolve();
  const inTurn = (step: () => void) => {
    lastTurn = lastTurn.then(step).catch((error) => transport.onerror?.(error));
  };
  const deliver = (message: Message) => inTurn(() => transport.onmessage?.(message));
  const refuse = ({ error, id }: Malformed) => {
    // The SDK drops what it cannot read; its peer should still be told.
    const answer: Failure = { jsonrpc: '2.0', id: id ?? null, error };
    connection.send(answer);
    transport.onerror?.(new Error(error.message));
  };
  const transport: SdkTransport = {
    start: async () =>
      connection.start({
        message: deliver,
        malformed: refuse,
        batch: (items) => {
          for (const item of items) 'jsonrpc' in item ? deliver(item) : refuse(item);
        },
        // The SDK knows no failures of one message but errors of the other side.
        refused: (id, { message }) => {
          if (id === undefined) transport.onerror?.(new Error(message));
          else deliver({ jsonrpc: '2.0', id, error: { code: ErrorCode.InternalError, message } });
        },
        ended: () => void connection.close('The other side has stopped sending'),
        closed: () => inTurn(() => transport.onclose?.()),
      }),
    // It hands over JSON-RPC messages of its own making.
    send: async (message) => connection.send(message as Message),
    close: () => connection.close(),
  };
  return transport;
}
