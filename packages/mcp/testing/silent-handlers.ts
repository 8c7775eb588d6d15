import type { PeerHandlers } from '../src/jsonrpc/peer.ts';

/** Handlers that respond to every request with an empty result and ignore the rest. */
export const SILENT: PeerHandlers = {
  respond: () => ({}),
  closed: () => {},
};
