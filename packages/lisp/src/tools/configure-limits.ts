import { inMilliseconds } from '../durations.ts';
import type { Limits } from '../sessions.ts';
import { requireLisp, result, type Tool, withProblems } from './lisp-tool.ts';
import { input, STEERS } from './schemas.ts';

interface Arguments {
  readonly timeout?: number;
  readonly 'load-timeout'?: number;
  readonly output?: number;
  readonly value?: number;
  readonly 'max-sessions'?: number;
  readonly idle?: number;
  readonly heap?: number;
}

export const configureLimits: Tool = {
  name: 'configure-limits',
  add: ({ server, sessions }) =>
    server.tool<Arguments>(
      {
        name: 'configure-limits',
        title: 'Configure limits',
        description: 'Changes limits of all sessions. Shows them if called without arguments.',
        inputSchema: input({
          timeout: { type: 'number', description: 'Seconds per call; 0: none', minimum: 0, maximum: 86_400 },
          'load-timeout': { type: 'number', description: 'Seconds to load or test', minimum: 0, maximum: 86_400 },
          output: { type: 'integer', description: 'Characters of stdout', minimum: 100, maximum: 1_000_000 },
          value: { type: 'integer', description: 'Characters of a value', minimum: 100, maximum: 1_000_000 },
          'max-sessions': { type: 'integer', minimum: 1, maximum: 64 },
          idle: {
            type: 'number',
            description: 'Minutes until an unused session ends; 0: never',
            minimum: 0,
            maximum: 10_080,
          },
          heap: { type: 'integer', description: 'Megabytes, for new Lisps', minimum: 64, maximum: 65_536 },
        }),
        annotations: STEERS,
      },
      (args) =>
        withProblems(undefined, async () => {
          requireLisp(sessions);
          const limits = toArguments(sessions.configure(changeOf(args, sessions.limits)));
          const text = [
            `timeout: ${seconds(limits.timeout)}`,
            `load-timeout: ${seconds(limits['load-timeout'])}`,
            `output: ${limits.output} characters`,
            `value: ${limits.value} characters`,
            `max-sessions: ${limits['max-sessions']}`,
            `idle: ${limits.idle === 0 ? 'never' : `${limits.idle} min`}`,
            `heap: ${limits.heap} MB (for new Lisps)`,
          ].join('\n');
          return result(text, { ok: true, ...limits }, 'ok');
        }),
    ),
};

function seconds(value: number): string {
  return value === 0 ? 'none' : `${value} s`;
}

function changeOf(args: Arguments, { text }: Limits): Partial<Limits> {
  const { timeout, output, value, idle, heap, 'max-sessions': maxSessions, 'load-timeout': loadTimeout } = args;
  return {
    ...(timeout !== undefined && { timeout: inMilliseconds(timeout, 'seconds') }),
    ...(loadTimeout !== undefined && { loadTimeout: inMilliseconds(loadTimeout, 'seconds') }),
    ...(idle !== undefined && { idle: inMilliseconds(idle, 'minutes') }),
    ...(maxSessions !== undefined && { maxSessions }),
    ...(heap !== undefined && { heapMegabytes: heap }),
    text: { output: output ?? text.output, value: value ?? text.value },
  };
}

function toArguments({ timeout, loadTimeout, idle, maxSessions, heapMegabytes, text }: Limits): Required<Arguments> {
  return {
    timeout: timeout / 1000,
    'load-timeout': loadTimeout / 1000,
    output: text.output,
    value: text.value,
    'max-sessions': maxSessions,
    idle: idle / 60_000,
    heap: heapMegabytes,
  };
}
