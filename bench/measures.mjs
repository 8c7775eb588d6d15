import { stdioCalls, webSocketCalls } from './measures/calls.mjs';
import { coldStart, idleConnections, resident } from './measures/footprint.mjs';
import { httpCalls, httpStatelessCalls } from './measures/http-calls.mjs';
import { httpMemory, sessionMemory } from './measures/http-memory.mjs';
import { largeEcho, toolsList } from './measures/large-messages.mjs';
import { memoryCalls, notifications } from './measures/own-client.mjs';

/**
 * What is measured. A measure is `{ name, title, rows, rounds(settings), prepare(contender, settings) }`; what `prepare`
 * resolves to is `{ sample(), close() }`, and a sample has one figure for the key of each row. A row's targets, by
 * contender, are about the ratio of hawser's figure to the contender's: `atLeast`, `atMost`, or `timesFaster` for the
 * inverse. `ownTarget` is about hawser's figure itself.
 */
export const measures = [
  stdioCalls,
  webSocketCalls,
  httpCalls,
  httpStatelessCalls,
  memoryCalls,
  notifications,
  largeEcho,
  toolsList,
  coldStart,
  resident,
  idleConnections,
  httpMemory,
  sessionMemory,
];
