import { resolve } from 'node:path';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { suggestion } from '@hawser/command-line/suggestion';
import type { Progress } from '@hawser/mcp';
import type { ClientSession } from '@hawser/mcp/client';
import { LineInput } from '@hawser/terminal-text/line-input';
import { tableLines } from '@hawser/terminal-text/table';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { ClientEnvironment } from '../client-environment.ts';
import { type Completable, completionsFor } from '../shell-completion.ts';
import { readHistory, writeHistory } from '../shell-history.ts';
import { shownContents } from '../show-result.ts';
import { splitCommand } from '../split-command.ts';
import { describeTarget } from '../target.ts';
import { checkedArguments, describeTool, progressLine, showResult, toolNamed } from './call.ts';
import { elicitWith } from './elicit.ts';
import { RawMessages } from './raw-messages.ts';
import { type ClientFlags, withTargetOptions } from './target-options.ts';
import { withSession } from './with-session.ts';

export interface ShellFlags extends ClientFlags {
  readonly save: string;
}

export const shellCommand = withTargetOptions({
  name: 'shell',
  description: 'call tools of an MCP server in an interactive session',
  options: [{ name: 'save', value: 'dir', description: 'where images and other bytes are saved', default: '.' }],
  notes: 'Type a tool and its arguments as key=value; Tab completes them. :help lists what else there is.',
});

const HELP: Readonly<Record<string, string>> = {
  ':tools': 'list the tools',
  ':describe TOOL': 'explain a tool and its arguments',
  ':resources': 'list the resources',
  ':read URI': 'show a resource',
  ':prompts': 'list the prompts',
  ':prompt NAME key=value': 'show a prompt',
  ':raw JSON': 'send a message as it is, such as {"jsonrpc":"2.0","id":"a","method":"ping"}',
  ':help': 'print this help',
  ':quit': 'end (also Ctrl-D)',
};
const COMMANDS = Object.keys(HELP).map((usage) => usage.split(' ')[0] ?? usage);

/** An interactive session, or one whose lines are piped to it. A line that fails does not end it. */
export async function shell(flags: ShellFlags, environment: ClientEnvironment): Promise<void> {
  const { terminal, stateFolder, stderr } = environment;
  let current: AbortController | undefined;
  let known: Completable = { commands: COMMANDS, tools: [], resources: [], prompts: [] };
  const lines = new LineInput({
    input: process.stdin,
    output: terminal?.output,
    complete: (line) => completionsFor(line, known),
    history: terminal === undefined ? [] : readHistory(stateFolder),
    interrupted: () => {
      if (current !== undefined) current.abort(new Error('The user cancelled it'));
      else if (lines.typed !== '') lines.clearLine();
      else lines.close();
    },
  });
  const raw = new RawMessages(environment);
  const notified = ({ method, params }: { method: string; params?: unknown }) => {
    stderr(escaped(`${method} ${params === undefined ? '' : JSON.stringify(params)}`));
    lines.redraw();
  };
  try {
    await withSession(
      flags,
      environment,
      async ({ session, target, signal }) => {
        known = await learn(session, signal);
        session.onNotification('notifications/tools/list_changed', async () => {
          known = await learn(session, signal);
        });
        if (terminal !== undefined) {
          environment.stdout(
            escaped(
              `${session.serverInfo?.name ?? 'Connected'} at ${describeTarget(target)}. :help lists what you can type.`,
            ),
          );
        }
        const lost = session.closed.then((reason) => {
          lines.close();
          return reason;
        });
        for (;;) {
          const line = await lines.ask('> ', signal);
          signal.throwIfAborted();
          if (session.state === 'closed') throw new CommandFailed(ExitCode.noServer, (await lost).message);
          // Ctrl-D leaves the cursor behind the question.
          if (line === undefined) terminal?.output.write('\n');
          if (line === undefined || line.trim() === ':quit') return;
          if (line.trim() === '') continue;
          current = new AbortController();
          const either = AbortSignal.any([signal, current.signal]);
          await runLine(line, { session, known, raw, flags, environment, signal: either }).catch((error: Error) => {
            signal.throwIfAborted();
            if (current?.signal.aborted) stderr('Cancelled.');
            else stderr(`hawser: ${error.message}`.split('\n').map(escaped).join('\n'));
          });
          current = undefined;
        }
      },
      {
        elicit: elicitWith(terminal && ((question, signal) => lines.ask(question, signal)), stderr),
        onConnection: (connection) => raw.use(connection),
        observer: {
          received: (message) => {
            if ('method' in message && message.method !== undefined) {
              if (!('id' in message) && message.method !== 'notifications/progress') notified(message);
            } else raw.received(message);
          },
          sent: () => {},
        },
      },
    );
  } finally {
    lines.close();
    if (terminal !== undefined) writeHistory(stateFolder, lines.history);
  }
}

interface Running {
  readonly session: ClientSession;
  readonly known: Completable;
  readonly raw: RawMessages;
  readonly flags: ShellFlags;
  readonly environment: ClientEnvironment;
  readonly signal: AbortSignal;
}

async function runLine(line: string, running: Running): Promise<void> {
  const [, command = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(line) ?? [];
  if (command === ':raw') return await running.raw.send(rest, running.signal);
  const words = splitCommand(rest);
  return command.startsWith(':') ? await runCommand(command, words, running) : await runTool(command, words, running);
}

async function runTool(name: string, words: readonly string[], { session, flags, environment, ...rest }: Running) {
  const tool = toolNamed(name, rest.known.tools);
  const line = progressLine(flags, environment);
  const onProgress = (progress: Progress) => line?.draw(progress);
  const options = { signal: rest.signal, timeout: flags.timeout ?? 0, onProgress };
  const call = session.callTool(name, checkedArguments(tool, words, {}), options);
  const result = await call.finally(() => line?.clear());
  showResult(result, name, flags, environment);
}

async function runCommand(command: string, words: readonly string[], running: Running): Promise<void> {
  const { known, environment } = running;
  if (command === ':describe') describeTool(toolNamed(words[0] ?? '', known.tools), environment);
  else for (const line of await linesOf(command, words, running)) environment.stdout(line);
}

/** What a command prints. */
async function linesOf(command: string, [first = '', ...more]: readonly string[], running: Running): Promise<string[]> {
  const { session, known, flags, environment, signal } = running;
  const { columns, cwd } = environment;
  switch (command) {
    case ':help':
      return tableLines(Object.entries(HELP), columns);
    case ':tools':
      return tableLines(
        known.tools.map(({ name, description = '' }) => [name, description]),
        columns,
      );
    case ':resources':
      return tableLines(
        known.resources.map(({ uri, name, description = name }) => [uri, description]),
        columns,
      );
    case ':prompts':
      return tableLines(
        known.prompts.map(({ name, description = '' }) => [name, description]),
        columns,
      );
    case ':read': {
      const folder = resolve(cwd, flags.save);
      const contents = await session.readResource(first, { signal });
      return contents.flatMap((each) => printable(shownContents(each, { name: 'resource', folder })));
    }
    case ':prompt': {
      const args = Object.fromEntries(more.map((word) => word.split(/=(.*)/s).slice(0, 2)));
      const { messages } = await session.getPrompt(first, args, { signal });
      return messages.flatMap(({ role, content }) =>
        printable(`${role}: ${content.type === 'text' ? content.text : JSON.stringify(content)}`),
      );
    }
    default:
      throw new Error(`There is no ${command}.${suggestion(command, COMMANDS)} :help lists what there is.`);
  }
}

function printable(text: string): string[] {
  return text.split('\n').map(escaped);
}

/** What the server offers; what it does not offer is not asked for. */
async function learn(session: ClientSession, signal: AbortSignal): Promise<Completable> {
  const { tools, resources, prompts } = session.serverCapabilities;
  return {
    commands: COMMANDS,
    tools: tools === undefined ? [] : await session.listTools({ signal }),
    resources: resources === undefined ? [] : await session.listResources({ signal }),
    prompts: prompts === undefined ? [] : await session.listPrompts({ signal }),
  };
}
