import type { Server } from '@hawser/mcp';
import { DEFAULT_SESSION, type Sessions } from '../sessions.ts';
import { ENDS_A_LISP, input, SESSION } from './schemas.ts';
import { result, withProblems } from './workbench.ts';

export function addResetSession(server: Server, sessions: Sessions): void {
  server.tool<{ readonly session?: string }>(
    {
      name: 'reset-session',
      title: 'Reset a session',
      description:
        'Gives a session a fresh Lisp: everything defined in it is gone. What it was doing is ended, and calls that wait in it are refused.',
      inputSchema: input({ ...SESSION }),
      outputSchema: {
        type: 'object',
        properties: {
          ok: { type: 'boolean' },
          session: { type: 'string' },
          engine: { type: 'string' },
          problem: { type: 'string' },
        },
        required: ['ok', 'session'],
      },
      annotations: ENDS_A_LISP,
    },
    ({ session = DEFAULT_SESSION }, { signal }) =>
      withProblems(session, async () => {
        const { engine, hadLisp } = await sessions.reset(session, signal);
        const text = hadLisp
          ? `Session ${session} has a fresh Lisp (${engine}); nothing the old one knew is left.`
          : `Session ${session} has a fresh Lisp (${engine}); there was none before.`;
        return result(text, { ok: true, session, engine }, 'ok');
      }),
  );
}
