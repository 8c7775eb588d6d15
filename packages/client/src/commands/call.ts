import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { suggestion } from '@hawser/command-line/suggestion';
import type { CallToolResult, Progress, Tool } from '@hawser/mcp';
import { jsonText } from '@hawser/terminal-text/json-text';
import { askLine } from '@hawser/terminal-text/line-input';
import { tableLines } from '@hawser/terminal-text/table';
import { escaped } from '@hawser/terminal-text/wrapping';
import { isObject } from '@hawser/unknown-values/objects';
import { ArgumentProblem, type Arguments, argumentsOf } from '../argument-values.ts';
import type { ClientEnvironment } from '../client-environment.ts';
import { propertiesOf, typeInWords } from '../describe-schema.ts';
import { shownResult } from '../show-result.ts';
import { elicitWith } from './elicit.ts';
import { type ProgressLine, progressLineOnStderr } from './progress-line.ts';
import { type ClientFlags, withTargetOptions } from './target-options.ts';
import { withSession } from './with-session.ts';

export interface CallFlags extends ClientFlags {
  readonly args?: string;
  readonly describe?: true;
  readonly save: string;
}

export const callCommand = withTargetOptions(
  {
    name: 'call',
    argument: 'tool',
    more: 'key=value',
    description: 'call a tool of an MCP server',
    options: [
      { name: 'args', value: 'json', description: 'the arguments as a JSON object, or @file for one in a file' },
      { name: 'describe', description: 'explain the tool and its arguments instead of calling it' },
      { name: 'save', value: 'dir', description: 'where images and other bytes are saved', default: '.' },
      { name: 'json', description: 'the result as JSON, as the server sent it' },
    ],
    notes: `Values have the types that the tool asks for: count=3 flag=true tags=a tags=b size='{"width":1}'.
Questions of the server are asked in the terminal. Ctrl-C cancels the call.
Exit codes: 0 done, 1 the tool failed, 2 wrong tool or arguments, 10 no connection.`,
  },
  { timeout: 'how long to wait for the connection (default: 60) and for the result (default: no limit)' },
);

/** Calls a tool and shows its result. Fails if the tool does. */
export async function callTool(
  flags: CallFlags,
  environment: ClientEnvironment,
  name: string,
  words: readonly string[],
): Promise<void> {
  const given = givenArguments(flags.args, environment);
  const line = progressLine(flags, environment);
  const { terminal, stderr } = environment;
  const elicit = elicitWith(terminal && ((question, signal) => askLine(question, terminal, signal)), stderr);
  await withSession(
    flags,
    environment,
    async ({ session, signal }) => {
      const tool = toolNamed(name, await session.listTools({ signal }));
      if (flags.describe) return describeTool(tool, environment);
      const args = checkedArguments(tool, words, given);
      const onProgress = (progress: Progress) => line?.draw(progress);
      const call = session.callTool(name, args, { signal, timeout: flags.timeout ?? 0, onProgress });
      const result = await call.finally(() => line?.clear());
      showResult(result, name, flags, environment);
      if (result.isError) throw new CommandFailed(ExitCode.failed, flags.json ? '' : `${name} failed`);
    },
    {
      elicit: (params, context) => {
        line?.clear();
        return elicit(params, context);
      },
    },
  );
}

/** The tool of that name, or a failure that says which are close. */
export function toolNamed(name: string, tools: readonly Tool[]): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map((each) => each.name);
  const hint = suggestion(name, names) || ` Its tools are ${names.join(', ') || 'none'}.`;
  throw new CommandFailed(ExitCode.usage, `The server has no tool ${name}.${hint}`);
}

export function checkedArguments({ name, inputSchema }: Tool, words: readonly string[], given: Arguments): Arguments {
  try {
    return argumentsOf(words, given, inputSchema);
  } catch (error) {
    if (!(error instanceof ArgumentProblem)) throw error;
    const lines = error.message.split('\n').map((line) => `\n  ${line}`);
    throw new CommandFailed(ExitCode.usage, `The arguments of ${name} don't fit:${lines.join('')}`);
  }
}

export function showResult(
  result: CallToolResult,
  name: string,
  { json, save }: Pick<CallFlags, 'json' | 'save'>,
  environment: ClientEnvironment,
): void {
  if (json) {
    environment.stdout(jsonText(result));
    return;
  }
  const print = result.isError ? environment.stderr : environment.stdout;
  // A terminal obeys what it is given; a file or another program gets the text as it is.
  const isTerminal = result.isError ? environment.isStderrTerminal : environment.isStdoutTerminal;
  for (const text of shownResult(result, { name, folder: resolve(environment.cwd, save) })) {
    print(isTerminal ? text.split('\n').map(escaped).join('\n') : text);
  }
}

export function describeTool(tool: Tool, { stdout, columns }: ClientEnvironment): void {
  const { name, title, description = '', inputSchema } = tool;
  stdout(escaped(title === undefined ? name : `${name}: ${title}`));
  for (const line of description.split('\n')) stdout(escaped(line));
  const rows = propertiesOf(inputSchema).map((property) => [
    property.isRequired ? property.name : `${property.name}?`,
    typeInWords(property.schema),
    typeof property.schema.description === 'string' ? property.schema.description : '',
  ]);
  const width = columns === undefined ? undefined : columns - INDENT.length;
  for (const line of tableLines(rows, width)) stdout(`${INDENT}${line}`);
}

const INDENT = '  ';

/** From `--args`. */
function givenArguments(args: string | undefined, { cwd }: ClientEnvironment): Arguments {
  if (args === undefined) return {};
  const where = args.startsWith('@') ? args.slice(1) : '--args';
  try {
    const text = args.startsWith('@') ? readFileSync(resolve(cwd, where), 'utf8') : args;
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new CommandFailed(ExitCode.usage, `${where} can't be read: ${(error as Error).message}`);
  }
  throw new CommandFailed(ExitCode.usage, `${where} is not a JSON object, such as '{"path":"a.ts"}'.`);
}

/** Only in a terminal, and not beside what the server prints. */
export function progressLine(
  { verbose }: ClientFlags,
  { isStderrTerminal }: ClientEnvironment,
): ProgressLine | undefined {
  return isStderrTerminal && !verbose ? progressLineOnStderr() : undefined;
}
