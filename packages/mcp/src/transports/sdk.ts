import type { Connection } from '../jsonrpc/connection.ts';
import { ErrorCode } from '../jsonrpc/errors.ts';
import type { Failure, Malformed, Message } from '../jsonrpc/message.ts';
import { reportError } from '../jsonrpc/report-error.ts';

/** The official SDK's transport interface, written out so that the SDK is not a dependency. */
export interface SdkTransport {
  onmessage?: (message: unknown) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Lets a client or server of the official TypeScript SDK, v1 or v2, use a connection of this library. */
export function sdkTransport(connection: Connection): SdkTransport {
  // The SDK runs notification handlers a microtask late, and drops progress that arrives after the response.
  let lastTurn: Promise<void> = Promise.resolve();
  const inTurn = (step: () => void) => {
    lastTurn = lastTurn.then(step).catch(failed);
  };
  const failed = (error: unknown) => reportError(error, (reported) => transport.onerror?.(reported));
  const deliver = (message: Message) => inTurn(() => transport.onmessage?.(message));
  const refuse = ({ error, id }: Malformed) => {
    // The SDK drops what it cannot read without a response.
    const response: Failure = { jsonrpc: '2.0', id: id ?? null, error };
    connection.send(response);
    failed(new Error(error.message));
  };
  const transport: SdkTransport = {
    start: async () =>
      connection.start({
        message: deliver,
        malformed: refuse,
        batch: (items) => {
          for (const item of items) 'jsonrpc' in item ? deliver(item) : refuse(item);
        },
        // The SDK has no other way to end a request that has been sent.
        refused: (id, reason) => {
          if (id === undefined) reportError(reason, (error) => transport.onerror?.(error));
          else deliver({ jsonrpc: '2.0', id, error: { code: ErrorCode.LimitReached, message: reason.message } });
        },
        ended: () => void connection.close('The peer has stopped sending'),
        closed: () => inTurn(() => transport.onclose?.()),
      }),
    // The SDK sends only JSON-RPC messages.
    send: async (message) => connection.send(message as Message),
    close: () => connection.close(),
  };
  return transport;
}
