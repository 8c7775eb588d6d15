import { toCount } from '@hawser/command-line/to-count';
import { jsonText } from '@hawser/terminal-text/json-text';
import type { ClientEnvironment } from '../client-environment.ts';
import { type ClientFlags, withTargetOptions } from './target-options.ts';
import { withSession } from './with-session.ts';

export interface PingFlags extends ClientFlags {
  readonly count: number;
}

export const pingCommand = withTargetOptions({
  name: 'ping',
  description: 'measure how long an MCP server takes to answer',
  options: [
    { name: 'count', value: 'n', description: 'how many pings', default: '5', parse: toCount },
    { name: 'json', description: 'as JSON' },
  ],
});

/** Round trips, one after the other. */
export function ping(flags: PingFlags, environment: ClientEnvironment): Promise<void> {
  return withSession(flags, environment, async ({ session, signal }) => {
    const roundTripsMs: number[] = [];
    for (let index = 0; index < flags.count; index += 1) {
      const began = performance.now();
      await session.ping({ signal });
      const took = rounded(performance.now() - began);
      roundTripsMs.push(took);
      if (!flags.json) environment.stdout(`${index + 1}: ${took.toFixed(2)} ms`);
    }
    const sorted = [...roundTripsMs].sort((one, other) => one - other);
    const [minMs = 0] = sorted;
    const medianMs = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
    const maxMs = sorted.at(-1) ?? 0;
    if (flags.json) environment.stdout(jsonText({ roundTripsMs, minMs, medianMs, maxMs }));
    else environment.stdout(`min ${minMs.toFixed(2)} ms, median ${medianMs.toFixed(2)} ms, max ${maxMs.toFixed(2)} ms`);
  });
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
