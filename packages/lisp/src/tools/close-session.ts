import type { Server } from '@hawser/mcp';
import { DEFAULT_SESSION, type Sessions } from '../sessions.ts';
import { ENDS_A_LISP, input, SESSION } from './schemas.ts';
import { insistOnLisp, result, withProblems } from './workbench.ts';

export function addCloseSession(server: Server, sessions: Sessions): void {
  server.tool<{ readonly session?: string }>(
    {
      name: 'close-session',
      title: 'Close a session',
      description: 'Ends a session and its Lisp, which makes room for another. What it was doing is ended with it.',
      inputSchema: input({ ...SESSION }),
      outputSchema: {
        type: 'object',
        properties: { ok: { type: 'boolean' }, session: { type: 'string' }, problem: { type: 'string' } },
        required: ['ok', 'session'],
      },
      annotations: ENDS_A_LISP,
    },
    ({ session = DEFAULT_SESSION }) =>
      withProblems(session, async () => {
        insistOnLisp(sessions);
        await sessions.close(session);
        return result(`Session ${session} is closed.`, { ok: true, session }, 'ok');
      }),
  );
}
