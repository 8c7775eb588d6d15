import type { ClientCommand } from '../client-environment.ts';
import type { HealthFlags } from './health.ts';
import type { PingFlags } from './ping.ts';
import { withTargetOptions } from './target-options.ts';
import type { WatchFlags } from './watch.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** `hawser watch`, `ping` and `health`. */
export const watchCommands: readonly ClientCommand[] = [
  withTargetOptions({
    name: 'watch',
    description: 'print the notifications of an MCP server as they arrive',
    options: [
      {
        name: 'resource',
        value: 'uri',
        description: 'a resource to subscribe to; can be repeated (default: all, up to 100)',
        isList: true,
      },
      { name: 'level', value: 'level', description: 'the least severe log message', choices: LEVELS, default: 'debug' },
      { name: 'count', value: 'n', description: 'end after this many notifications', parse: toCount },
      { name: 'json', description: 'as JSON, an object a line' },
    ],
    run: async (flags, _argument, environment) => {
      const { watch } = await import('./watch.ts');
      await watch(flags as unknown as WatchFlags, environment);
    },
  }),
  withTargetOptions({
    name: 'ping',
    description: 'measure how long an MCP server takes to answer',
    options: [
      { name: 'count', value: 'n', description: 'how many pings', default: '5', parse: toCount },
      { name: 'json', description: 'as JSON' },
    ],
    run: async (flags, _argument, environment) => {
      const { ping } = await import('./ping.ts');
      await ping(flags as unknown as PingFlags, environment);
    },
  }),
  withTargetOptions({
    name: 'health',
    description: 'connect to an MCP server, list what it offers and ping it',
    options: [{ name: 'json', description: 'as JSON' }],
    notes: 'Exit codes: 0 all is well, 1 a step failed, 10 no connection.',
    run: async (flags, _argument, environment) => {
      const { health } = await import('./health.ts');
      await health(flags as unknown as HealthFlags, environment);
    },
  }),
];

function toCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Error('A count is a whole number from 1 to 999999.');
}
