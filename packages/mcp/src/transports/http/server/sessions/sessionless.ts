import { type Arrival, requestOf } from '../../../../jsonrpc/codec.ts';
import { ConnectionClosed } from '../../../../jsonrpc/errors.ts';
import type { Origin } from '../../../../protocol/origin.ts';
import { VERSION_WITHOUT_HEADER } from '../../../../protocol/revisions/all.ts';
import type { ServedRequests } from '../../../../protocol/stateless-response.ts';
import type { HttpCall } from '../http-call.ts';
import { refuse } from '../refuse.ts';
import { ResponseStream, type ResponseStreamOptions } from '../responses/response-stream.ts';
import { HttpConnection } from './http-connection.ts';

/** Responds to a POST of a revision with sessions without keeping one: a session that ends with the response. */
export function serveSessionless(
  arrival: Arrival,
  origin: Origin,
  call: HttpCall,
  server: ServedRequests,
  options: ResponseStreamOptions,
): void {
  let isOver = false;
  const connection = new HttpConnection({
    // Without a session there is no stream for what belongs to no request.
    send: () => {},
    followed: [],
    drained: () => Promise.resolve(),
    dropsNotification: () => false,
    closed: () => {
      isOver = true;
    },
  });
  const stream = new ResponseStream(call, options, {
    onDone: () => connection.end(new ConnectionClosed('The client closed the request')),
  });
  const isInitialize = requestOf(arrival)?.method === 'initialize';
  const version = origin.headers?.['mcp-protocol-version'];
  const protocolVersion = typeof version === 'string' ? version : VERSION_WITHOUT_HEADER;
  const snapshot = {
    protocolVersion,
    clientCapabilities: {},
    ready: true,
    logLevel: 'debug',
    subscriptions: [],
  } as const;
  server.connect(connection, isInitialize ? { ephemeral: true } : { snapshot, ephemeral: true });
  if (!connection.isOpen) refuse(call, 503, 'This server accepts no requests now');
  else if (!connection.deliver(arrival, stream, origin)) call.send(202, {}, '');
  if (isOver) return;
  if (stream.hasResponded || call.isEnded) connection.end(new ConnectionClosed('The request has its response'));
  else stream.watch();
}
