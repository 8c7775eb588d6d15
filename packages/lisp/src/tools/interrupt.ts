import type { Server } from '@hawser/mcp';
import { DEFAULT_SESSION, type Sessions } from '../sessions.ts';
import { input, SESSION, STEERS } from './schemas.ts';
import { insistOnLisp, result, withProblems } from './workbench.ts';

export function addInterrupt(server: Server, sessions: Sessions): void {
  server.tool<{ readonly session?: string }>(
    {
      name: 'interrupt',
      title: 'Interrupt a session',
      description:
        'Interrupts the call that runs in a session, which is answered as interrupted. The session keeps its state, and calls that wait go on.',
      inputSchema: input({ ...SESSION }),
      outputSchema: {
        type: 'object',
        properties: {
          ok: { type: 'boolean' },
          session: { type: 'string' },
          interrupted: { type: 'boolean', description: 'False when nothing was running' },
          problem: { type: 'string' },
        },
        required: ['ok', 'session'],
      },
      annotations: STEERS,
    },
    ({ session = DEFAULT_SESSION }) =>
      withProblems(session, async () => {
        insistOnLisp(sessions);
        const interrupted = sessions.interrupt(session) === 'interrupted';
        const text = interrupted
          ? `Interrupted what ran in session ${session}.`
          : `Nothing runs in session ${session}.`;
        return result(text, { ok: true, session, interrupted }, 'ok');
      }),
  );
}
