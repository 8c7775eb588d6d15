import { DEFAULT_SESSION } from '../sessions.ts';
import { result, type ToolContext, withProblems } from './lisp-tool.ts';
import { DISCARDS, input, SESSION } from './schemas.ts';

export function addResetSession({ server, sessions }: ToolContext): void {
  server.tool<{ readonly session?: string }>(
    {
      name: 'reset-session',
      title: 'Reset a session',
      description:
        'Replaces the Lisp of a session by a fresh one. Ends the call that runs and rejects those that wait.',
      inputSchema: input(SESSION),
      annotations: DISCARDS,
    },
    ({ session = DEFAULT_SESSION }, { signal }) =>
      withProblems(session, async () => {
        const { engine, hadLisp } = await sessions.reset(session, signal);
        const gone = sessions.keepsDefinitions
          ? 'It shares the image, so definitions are kept.'
          : 'All definitions are gone.';
        const before = hadLisp ? gone : 'It had none before.';
        return result(
          `Session ${session} has a fresh Lisp (${engine}). ${before}`,
          { ok: true, session, engine },
          'ok',
        );
      }),
  );
}
