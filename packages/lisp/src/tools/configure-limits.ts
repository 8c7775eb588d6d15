import type { Server } from '@hawser/mcp';
import { inMilliseconds } from '../durations.ts';
import type { Limits, Sessions } from '../sessions.ts';
import { input, STEERS } from './schemas.ts';
import { insistOnLisp, result, withProblems } from './workbench.ts';

interface Arguments {
  readonly timeout?: number;
  readonly output?: number;
  readonly value?: number;
  readonly 'max-sessions'?: number;
  readonly idle?: number;
  readonly heap?: number;
}

export function addConfigureLimits(server: Server, sessions: Sessions): void {
  server.tool<Arguments>(
    {
      name: 'configure-limits',
      title: 'Configure limits',
      description: 'Changes limits of all sessions, and tells them; without arguments it only tells them.',
      inputSchema: input({
        timeout: {
          type: 'number',
          description: 'Seconds a call may take; 0 for no limit',
          minimum: 0,
          maximum: 86_400,
        },
        output: {
          type: 'integer',
          description: 'Characters kept of stdout and of stderr',
          minimum: 100,
          maximum: 1_000_000,
        },
        value: { type: 'integer', description: 'Characters kept of a value', minimum: 100, maximum: 1_000_000 },
        'max-sessions': { type: 'integer', description: 'How many sessions there may be', minimum: 1, maximum: 64 },
        idle: {
          type: 'number',
          description: 'Minutes without a call after which a session is ended; 0 for never',
          minimum: 0,
          maximum: 10_080,
        },
        heap: {
          type: 'integer',
          description: 'Megabytes of heap of Lisps started from now on',
          minimum: 64,
          maximum: 65_536,
        },
      }),
      outputSchema: {
        type: 'object',
        properties: {
          ok: { type: 'boolean' },
          problem: { type: 'string' },
          timeout: { type: 'number' },
          output: { type: 'integer' },
          value: { type: 'integer' },
          'max-sessions': { type: 'integer' },
          idle: { type: 'number' },
          heap: { type: 'integer' },
        },
        required: ['ok'],
      },
      annotations: STEERS,
    },
    (args) =>
      withProblems(undefined, async () => {
        insistOnLisp(sessions);
        const limits = toArguments(sessions.configure(changeOf(args, sessions.limits)));
        const text = [
          `timeout: ${limits.timeout === 0 ? 'none' : `${limits.timeout} s`}`,
          `output: ${limits.output} characters`,
          `value: ${limits.value} characters`,
          `max-sessions: ${limits['max-sessions']}`,
          `idle: ${limits.idle === 0 ? 'never ended' : `${limits.idle} min`}`,
          `heap: ${limits.heap} MB (Lisps started from now on)`,
        ].join('\n');
        return result(text, { ok: true, ...limits }, 'ok');
      }),
  );
}

function changeOf(args: Arguments, { text }: Limits): Partial<Limits> {
  const { timeout, output, value, idle, heap, 'max-sessions': maxSessions } = args;
  return {
    ...(timeout !== undefined && { timeout: inMilliseconds(timeout, 'seconds') }),
    ...(idle !== undefined && { idle: inMilliseconds(idle, 'minutes') }),
    ...(maxSessions !== undefined && { maxSessions }),
    ...(heap !== undefined && { heapMegabytes: heap }),
    text: { output: output ?? text.output, value: value ?? text.value },
  };
}

function toArguments({ timeout, idle, maxSessions, heapMegabytes, text }: Limits): Required<Arguments> {
  return {
    timeout: timeout / 1000,
    output: text.output,
    value: text.value,
    'max-sessions': maxSessions,
    idle: idle / 60_000,
    heap: heapMegabytes,
  };
}
