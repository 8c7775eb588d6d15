import { fileURLToPath } from 'node:url';

const inBench = (path) => fileURLToPath(new URL(path, import.meta.url));
const noStatelessRevision = 'it does not speak 2026-07-28';

/**
 * Who takes part. `server` is a program that takes `stdio`, `ws` or `http`, `own` one that takes `memory` or
 * `notifications` and uses the contender's own client. `sessionVersion` is the newest revision with sessions it speaks,
 * `httpMemoryCalls` how many requests its memory is watched over: only hawser's is to be flat, and some take minutes
 * for as many. `absent` says why a contender sits out a measure.
 */
export const contenders = [
  {
    name: 'hawser',
    server: inBench('../examples/echo/echo.mjs'),
    own: inBench('contenders/hawser.mjs'),
    sessionVersion: '2025-11-25',
    httpMemoryCalls: 100_000,
    absent: {},
  },
  {
    name: 'raw',
    server: inBench('contenders/raw.mjs'),
    own: inBench('contenders/raw.mjs'),
    sessionVersion: '2025-11-25',
    httpMemoryCalls: 100_000,
    absent: {},
  },
  {
    name: 'sdk-v1',
    server: inBench('contenders/sdk-v1.mjs'),
    own: inBench('contenders/sdk-v1.mjs'),
    sessionVersion: '2025-11-25',
    absent: { 'http-stateless': noStatelessRevision, 'http-memory': noStatelessRevision },
  },
  {
    name: 'sdk-v2',
    server: inBench('contenders/sdk-v2.mjs'),
    own: inBench('contenders/sdk-v2.mjs'),
    sessionVersion: '2025-11-25',
    httpMemoryCalls: 5_000,
    absent: {},
  },
  {
    name: 'mcp-lite',
    server: inBench('contenders/mcp-lite.mjs'),
    own: undefined,
    sessionVersion: '2025-06-18',
    absent: {
      memory: 'it has no client and no in-memory transport',
      notifications: 'it has no client, and its handlers can send no notification but progress',
      'http-stateless': noStatelessRevision,
      'http-memory': noStatelessRevision,
    },
  },
];
