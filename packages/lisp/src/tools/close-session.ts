import { DEFAULT_SESSION } from '../sessions.ts';
import { requireLisp, result, type ToolContext, withProblems } from './lisp-tool.ts';
import { DISCARDS, input, SESSION } from './schemas.ts';

export function addCloseSession({ server, sessions }: ToolContext): void {
  server.tool<{ readonly session?: string }>(
    {
      name: 'close-session',
      title: 'Close a session',
      description: 'Ends a session, its Lisp and the call that runs in it.',
      inputSchema: input(SESSION),
      annotations: DISCARDS,
    },
    ({ session = DEFAULT_SESSION }) =>
      withProblems(session, async () => {
        requireLisp(sessions);
        await sessions.close(session);
        return result(`Session ${session} is closed.`, { ok: true, session }, 'ok');
      }),
  );
}
