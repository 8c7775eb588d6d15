import type { CallToolResult, JsonSchema, RequestContext, Server, ToolAnnotations } from '@hawser/mcp';
import { inMilliseconds } from '../durations.ts';
import type { Operation, Outcome } from '../evaluator.ts';
import { SessionProblem } from '../session-problem.ts';
import { DEFAULT_SESSION, type Sessions } from '../sessions.ts';
import { renderText, structured, type View } from './render.ts';
import { ANSWER } from './schemas.ts';
import { visible, wellFormed } from './texts.ts';

/** What every tool that speaks with a Lisp may be given. */
export interface CommonArguments {
  readonly session?: string;
  readonly timeout?: number;
}

interface LispTool<Arguments> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly operation: (args: Arguments) => Operation;
  readonly view?: (args: Arguments, outcome: Outcome) => View;
}

const PLAIN: View = { values: 'incidental', time: 'hidden' };

/** Offers a tool that performs one operation in a session. */
export function addLispTool<Arguments extends CommonArguments>(
  server: Server,
  sessions: Sessions,
  { operation, view = () => PLAIN, ...definition }: LispTool<Arguments>,
): void {
  server.tool<Arguments>({ ...definition, outputSchema: ANSWER }, (args, context) => {
    const { session = DEFAULT_SESSION, timeout } = args;
    return withProblems(session, async () => {
      const onOutput = outputAsProgress(context, sessions.limits.text.output);
      const answer = await sessions.perform(session, {
        operation: operation(args),
        timeout: timeout === undefined ? undefined : inMilliseconds(timeout, 'seconds'),
        signal: context.signal,
        ...(onOutput !== undefined && { onOutput }),
      });
      const seen = view(args, answer.outcome);
      return result(renderText(answer, seen), structured(answer, seen), answer.outcome.ok ? 'ok' : 'failed');
    });
  });
}

/** Runs what may end with a SessionProblem, which becomes a failed result with the same structure. */
export async function withProblems(
  session: string | undefined,
  work: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SessionProblem)) throw error;
    const problem = wellFormed(error.message);
    const whose = session === undefined ? {} : { session: wellFormed(session) };
    return result(problem, { ok: false, ...whose, problem }, 'failed');
  }
}

export function result(text: string, content: { [key: string]: unknown }, outcome: 'ok' | 'failed'): CallToolResult {
  return {
    content: [{ type: 'text', text: visible(text) }],
    structuredContent: content,
    ...(outcome === 'failed' && { isError: true }),
  };
}

/** Says why there is no Lisp, for tools that need none but would be of no use. */
export function insistOnLisp(sessions: Sessions): void {
  const missing = sessions.missing();
  if (missing !== undefined) throw new SessionProblem(missing);
}

/** Output as it comes, for callers that asked for progress; bounded like the output itself. */
function outputAsProgress(context: RequestContext, limit: number) {
  if (context.meta?.progressToken === undefined) return undefined;
  let told = 0;
  return (stream: 'stdout' | 'stderr', text: string) => {
    if (told >= limit || text === '') return;
    told += text.length;
    context.progress(told, undefined, wellFormed(stream === 'stderr' ? `[stderr] ${text}` : text));
  };
}
