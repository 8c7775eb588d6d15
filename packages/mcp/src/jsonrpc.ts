export { decode, encode } from './jsonrpc/codec.ts';
export type { Connection, ConnectionLimits, Outgoing, Receiver } from './jsonrpc/connection.ts';
export { ConnectionClosed, ErrorCode, NotSerializable, RequestTimeout, RpcError } from './jsonrpc/errors.ts';
export type { IncomingRequest } from './jsonrpc/incoming-request.ts';
export type * from './jsonrpc/message.ts';
export { Peer, type PeerHandlers, type PeerLimits, type RequestOptions } from './jsonrpc/peer.ts';
