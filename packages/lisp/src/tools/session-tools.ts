import type { CallToolResult, RequestContext, ToolAnnotations } from '@hawser/mcp';
import { DEFAULT_SESSION, type SessionDescription, type Sessions } from '../sessions.ts';
import { requireLisp, result, type Tool, withProblems } from './lisp-tool.ts';
import { DISCARDS, input, READS, SESSION, STEERS } from './schemas.ts';

interface SessionTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly work: (sessions: Sessions, session: string, context: RequestContext) => Promise<CallToolResult>;
}

/** A tool for one session. */
function sessionTool({ work, ...definition }: SessionTool): Tool {
  return {
    name: definition.name,
    add: ({ server, sessions }) =>
      server.tool<{ readonly session?: string }>(
        { ...definition, inputSchema: input(SESSION) },
        ({ session = DEFAULT_SESSION }, context) => withProblems(session, () => work(sessions, session, context)),
      ),
  };
}

const listSessions: Tool = {
  name: 'list-sessions',
  add: ({ server, sessions }) =>
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
    ),
};

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

/** The tools that manage sessions. */
export const sessionTools: readonly Tool[] = [
  listSessions,
  sessionTool({
    name: 'interrupt',
    title: 'Interrupt a session',
    description: 'Interrupts the call that runs in a session. The session keeps its state.',
    annotations: STEERS,
    work: async (sessions, session) => {
      requireLisp(sessions);
      const interrupted = sessions.interrupt(session) === 'interrupted';
      const text = interrupted ? `Interrupted session ${session}.` : `Nothing runs in session ${session}.`;
      return result(text, { ok: true, session, interrupted }, 'ok');
    },
  }),
  sessionTool({
    name: 'reset-session',
    title: 'Reset a session',
    description: 'Replaces the Lisp of a session by a fresh one. Ends the call that runs and rejects those that wait.',
    annotations: DISCARDS,
    work: async (sessions, session, { signal }) => {
      const { engine, hadLisp } = await sessions.reset(session, signal);
      const gone = sessions.keepsDefinitions
        ? 'It shares the image, so definitions are kept.'
        : 'All definitions are gone.';
      const before = hadLisp ? gone : 'It had none before.';
      return result(`Session ${session} has a fresh Lisp (${engine}). ${before}`, { ok: true, session, engine }, 'ok');
    },
  }),
  sessionTool({
    name: 'close-session',
    title: 'Close a session',
    description: 'Ends a session, its Lisp and the call that runs in it.',
    annotations: DISCARDS,
    work: async (sessions, session) => {
      requireLisp(sessions);
      await sessions.close(session);
      return result(`Session ${session} is closed.`, { ok: true, session }, 'ok');
    },
  }),
];
