import type { PeerHandlers } from '../src/jsonrpc/peer.ts';

/** Handlers that answer every request with an empty result and ignore the rest. */
export const SILENT: PeerHandlers = {
  answer: () => ({}),
  receive: () => {},
  abandoned: () => {},
  errorWithoutId: () => {},
  batchRefusal: () => undefined,
  unreadableId: () => null,
  closed: () => {},
};
