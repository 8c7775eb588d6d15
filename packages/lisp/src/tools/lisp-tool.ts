import type { CallToolResult, JsonSchema, RequestContext, Server, ToolAnnotations } from '@hawser/mcp';
import type { Answer } from '../call-queue.ts';
import { inMilliseconds } from '../durations.ts';
import type { Operation, Outcome } from '../evaluator.ts';
import { resourceOf } from '../resources/uris.ts';
import type { Roots } from '../roots.ts';
import { SessionProblem } from '../session-problem.ts';
import { DEFAULT_SESSION, type Limits, type Sessions } from '../sessions.ts';
import { syntaxHint } from '../syntax-hint.ts';
import type { TranscriptEntry } from '../transcript.ts';
import { PLAIN, renderText, structured, type View, wholeOutput } from './render.ts';
import { visible, wellFormed } from './texts.ts';

/** What the tools work with. */
export interface ToolContext {
  readonly server: Server;
  readonly sessions: Sessions;
  readonly roots: Roots;
}

/** A tool of the server. */
export interface Tool {
  readonly name: string;
  add(context: ToolContext): void;
}

/** Arguments of every tool that uses a Lisp. */
export interface CommonArguments {
  readonly session?: string;
  readonly timeout?: number;
  readonly package?: string;
  readonly offset?: number;
  readonly limit?: number;
  /** Code that is read, if the tool takes any. */
  readonly code?: string;
  readonly form?: string;
}

interface LispTool<Arguments> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  /** Whether the agent's roots must be known before the call. */
  readonly needsRoots?: boolean;
  /** Characters kept of each output stream, if not the configured limit. */
  readonly maxOutput?: number;
  readonly operation: (args: Arguments) => Operation;
  /** Reads more out of an outcome than the Lisp has. */
  readonly refine?: (outcome: Outcome) => Outcome;
  readonly view?: (args: Arguments, outcome: Outcome) => View;
}

/** A tool that performs one operation in a session. */
export function lispTool<Arguments extends CommonArguments = CommonArguments>(definition: LispTool<Arguments>): Tool {
  return { name: definition.name, add: (context) => addLispTool(context, definition) };
}

function addLispTool<Arguments extends CommonArguments>(
  { server, sessions, roots }: ToolContext,
  { operation, refine, view = () => PLAIN, needsRoots = false, maxOutput, ...definition }: LispTool<Arguments>,
): void {
  server.tool<Arguments>(definition, (args, context) => {
    const { session = DEFAULT_SESSION, timeout } = args;
    return withProblems(session, async () => {
      const pending = roots.refresh(context);
      if (needsRoots && pending !== undefined) await pending;
      const performed = await sessions.perform(session, {
        operation: operation(args),
        timeout: timeout === undefined ? undefined : inMilliseconds(timeout, 'seconds'),
        signal: context.signal,
        maxOutput,
        ...progressListeners(context, maxOutput === undefined ? sessions.limits.text.output : 0),
      });
      const answer = refine === undefined ? performed : { ...performed, outcome: refine(performed.outcome) };
      const { outcome } = answer;
      const chosen = view(args, outcome);
      const shown = { ...chosen, hint: chosen.hint ?? syntaxHint(outcome, args.code ?? args.form) };
      const text = renderText(maxOutput === undefined ? answer : limited(answer, sessions.limits), shown, args);
      sessions.transcript(session)?.add(transcriptEntry(definition.name, args, outcome, text));
      return result(text, structured(answer, shown), outcome.ok ? 'ok' : 'failed');
    });
  });
}

/** A function of its own: entries are kept, and must not keep the context of their request. */
function transcriptEntry(tool: string, args: CommonArguments, outcome: Outcome, answer: string): TranscriptEntry {
  return {
    call: outcome.call,
    tool,
    input: () => inputText(args),
    answer,
    output: () => wholeOutput(outcome),
    length: answer.length + outcome.stdout.length + outcome.stderr.length + (outcome.findings?.length ?? 0) * 200,
  };
}

/** Runs work that may throw a SessionProblem, which becomes a failed result. */
export async function withProblems(
  session: string | undefined,
  work: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SessionProblem)) throw error;
    const problem = wellFormed(error.message);
    const named = session === undefined ? {} : { session: wellFormed(session) };
    return result(visible(problem), { ok: false, ...named, problem }, 'failed');
  }
}

export function result(text: string, content: { [key: string]: unknown }, outcome: 'ok' | 'failed'): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: content,
    ...(outcome === 'failed' && { isError: true }),
  };
}

/** An answer whose output was kept beyond the limit, within it. */
function limited(answer: Answer, { text: { output } }: Limits): Answer {
  const cut = (text: string) => {
    if (text.length <= output) return text;
    const resource = resourceOf(answer.session, 'output');
    return `${wellFormed(text.slice(0, output))}…\n(${output} of ${text.length} characters; read ${resource} for all)`;
  };
  const { outcome } = answer;
  return { ...answer, outcome: { ...outcome, stdout: cut(outcome.stdout), stderr: cut(outcome.stderr) } };
}

/** Throws when there is no Lisp, for tools that would be of no use then. */
export function requireLisp(sessions: Sessions): void {
  const missing = sessions.missing();
  if (missing !== undefined) throw new SessionProblem(missing);
}

/** Sends output and steps as progress, if the caller asked for progress; at most `maxOutput` characters of output. */
function progressListeners(context: RequestContext, maxOutput: number) {
  if (context.meta?.progressToken === undefined) return {};
  let sent = 0;
  const send = (text: string) => {
    sent += text.length;
    context.progress(sent, undefined, wellFormed(text));
  };
  return {
    onOutput: (stream: 'stdout' | 'stderr', text: string) => {
      if (sent < maxOutput && text !== '') send(stream === 'stderr' ? `[stderr] ${text}` : text);
    },
    onProgress: send,
  };
}

/** The arguments as a user would write them: code as it is, the rest by name. */
function inputText(args: CommonArguments): string {
  const lines = Object.entries(args).map(([name, value]) =>
    name === 'code' || name === 'form' ? String(value) : `${name}: ${JSON.stringify(value)}`,
  );
  return lines.join('\n');
}
