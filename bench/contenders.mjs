import { fileURLToPath } from 'node:url';

const inBench = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Who takes part. `server` is a program that takes `stdio` or `ws`, `own` one that takes `memory` or `notifications`
 * and uses the contender's own client. `absent` says why a contender sits out a measure.
 */
export const contenders = [
  { name: 'hawser', server: inBench('../examples/echo/echo.mjs'), own: inBench('contenders/hawser.mjs'), absent: {} },
  { name: 'raw', server: inBench('contenders/raw.mjs'), own: inBench('contenders/raw.mjs'), absent: {} },
  { name: 'sdk-v1', server: inBench('contenders/sdk-v1.mjs'), own: inBench('contenders/sdk-v1.mjs'), absent: {} },
  { name: 'sdk-v2', server: inBench('contenders/sdk-v2.mjs'), own: inBench('contenders/sdk-v2.mjs'), absent: {} },
  {
    name: 'mcp-lite',
    server: inBench('contenders/mcp-lite.mjs'),
    own: undefined,
    absent: {
      memory: 'it has no client and no in-memory transport',
      notifications: 'it has no client, and its handlers can send no notification but progress',
    },
  },
];
