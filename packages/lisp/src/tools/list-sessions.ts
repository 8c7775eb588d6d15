import type { Server } from '@hawser/mcp';
import type { SessionDescription, Sessions } from '../sessions.ts';
import { input, READS } from './schemas.ts';
import { insistOnLisp, result, withProblems } from './workbench.ts';

export function addListSessions(server: Server, sessions: Sessions): void {
  server.tool<object>(
    {
      name: 'list-sessions',
      title: 'List sessions',
      description: 'Lists the sessions that have a Lisp: what each is doing, its package, how many calls wait in it.',
      inputSchema: input({}),
      outputSchema: {
        type: 'object',
        properties: {
          ok: { type: 'boolean' },
          problem: { type: 'string' },
          maxSessions: { type: 'integer' },
          sessions: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                name: { type: 'string' },
                state: { type: 'string', enum: ['starting', 'idle', 'busy', 'debugging'] },
                engine: { type: 'string' },
                package: { type: 'string' },
                waiting: { type: 'integer', description: 'Calls that wait' },
                calls: { type: 'integer', description: 'Calls so far' },
                idleSeconds: { type: 'number' },
              },
              required: ['name', 'state', 'waiting', 'calls', 'idleSeconds'],
            },
          },
        },
        required: ['ok'],
      },
      annotations: READS,
    },
    () =>
      withProblems(undefined, async () => {
        insistOnLisp(sessions);
        const { maxSessions } = sessions.limits;
        const list = sessions.list();
        const text =
          list.length === 0
            ? `No session is running; the first call starts one. There may be ${maxSessions}.`
            : [...list.map(line), `; ${list.length} of at most ${maxSessions} sessions`].join('\n');
        const rows = list.map(({ engine, package: name, idleMs, ...rest }) => ({
          ...rest,
          ...(engine !== undefined && { engine }),
          ...(name !== undefined && { package: name }),
          idleSeconds: Math.round(idleMs / 1000),
        }));
        return result(text, { ok: true, maxSessions, sessions: rows }, 'ok');
      }),
  );
}

function line({ name, state, engine, package: current, waiting, calls, idleMs }: SessionDescription): string {
  const parts = [
    engine,
    current && `package ${current}`,
    `${calls} calls`,
    waiting > 0 && `${waiting} waiting`,
    state === 'idle' && `idle for ${Math.round(idleMs / 1000)} s`,
  ];
  return `${name}: ${[state, ...parts.filter((part) => part !== undefined && part !== false && part !== '')].join(', ')}`;
}
