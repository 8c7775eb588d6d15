import { runHostileServerCase } from '../../packages/mcp/testing/hostile-server-case.ts';
import { runHttpCase } from '../../packages/mcp/testing/http-fuzz.ts';
import type { Random } from '../../packages/mcp/testing/random.ts';
import { runFrameCase, runHandshakeCase } from '../../packages/mcp/testing/websocket-fuzz.ts';
import type { FuzzTarget } from './target.ts';

/** Targets whose cases serve, attack and check by themselves, from a seed. */
export const seededTargets: readonly FuzzTarget[] = [
  seeded('WebSocket handshakes', runHandshakeCase),
  seeded('WebSocket frames', runFrameCase),
  seeded('HTTP requests', runHttpCase),
  // Most of their time goes into waiting for timeouts, so many run at once.
  seeded('hostile servers', runHostileServerCase, 24),
];

function seeded(name: string, run: (seed: number) => Promise<void>, atOnce = 1): FuzzTarget {
  const runCase = async (random: Random) => {
    await Promise.all(Array.from({ length: atOnce }, () => run(random.below(2 ** 32))));
    return atOnce;
  };
  return { name, open: async () => ({ runCase, close: async () => {} }) };
}
