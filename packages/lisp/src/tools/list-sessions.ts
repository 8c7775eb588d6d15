import type { SessionDescription } from '../sessions.ts';
import { requireLisp, result, type ToolContext, withProblems } from './lisp-tool.ts';
import { input, READS } from './schemas.ts';

export function addListSessions({ server, sessions }: ToolContext): void {
  server.tool<object>(
    {
      name: 'list-sessions',
      title: 'List sessions',
      description: 'Lists the running sessions: state, package, waiting calls.',
      inputSchema: input({}),
      annotations: READS,
    },
    () =>
      withProblems(undefined, async () => {
        requireLisp(sessions);
        const { maxSessions } = sessions.limits;
        const list = sessions.list();
        const text =
          list.length === 0
            ? `No session is running. The first call starts one; up to ${maxSessions} can run.`
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
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    waiting > 0 && `${waiting} waiting`,
    state === 'idle' && `idle for ${Math.round(idleMs / 1000)} s`,
  ];
  return `${name}: ${[state, ...parts.filter((part) => part !== undefined && part !== false && part !== '')].join(', ')}`;
}
