import { DEFAULT_SESSION } from '../sessions.ts';
import { requireLisp, result, type ToolContext, withProblems } from './lisp-tool.ts';
import { input, SESSION, STEERS } from './schemas.ts';

export function addInterrupt({ server, sessions }: ToolContext): void {
  server.tool<{ readonly session?: string }>(
    {
      name: 'interrupt',
      title: 'Interrupt a session',
      description: 'Interrupts the call that runs in a session. The session keeps its state.',
      inputSchema: input(SESSION),
      annotations: STEERS,
    },
    ({ session = DEFAULT_SESSION }) =>
      withProblems(session, async () => {
        requireLisp(sessions);
        const interrupted = sessions.interrupt(session) === 'interrupted';
        const text = interrupted ? `Interrupted session ${session}.` : `Nothing runs in session ${session}.`;
        return result(text, { ok: true, session, interrupted }, 'ok');
      }),
  );
}
