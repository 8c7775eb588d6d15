#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { constants, homedir, tmpdir } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Environment, stateFolderIn } from './cli/environment.ts';
import { CommandFailed, ExitCode } from './cli/exit-codes.ts';
import { AGENTS, type AgentName } from './cli/make-agents.ts';
import { type ReviewPolicy, serve } from './cli/serve.ts';
import { serveInTerminal } from './cli/serve-in-terminal.ts';
import { addUserCommands } from './cli/user-commands.ts';
import { escaped } from './terminal/glyphs.ts';
import type { TerminalOptions } from './terminal/terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PATIENCE_MS = 1000;
const { env } = process;
const home = homedir();
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const environment: Environment = {
  cwd: process.cwd(),
  home,
  claudeConfigDir: env.CLAUDE_CONFIG_DIR,
  stateFolder: stateFolderIn(home, env.XDG_STATE_HOME),
  temporaryFolder: tmpdir(),
  pid: process.pid,
  version,
  isWindows: process.platform === 'win32',
  terminal: terminal(),
  isStderrTerminal: process.stderr.isTTY === true,
  editor: env.VISUAL || env.EDITOR || 'vi',
  onSignal: (listener) => {
    let heededAt: number | undefined;
    const heed = (signal: (typeof SIGNALS)[number]) => {
      const code = 128 + constants.signals[signal];
      // A terminal and whoever passes signals on say it twice at once. Who says it again later has waited enough.
      if (heededAt === undefined) heededAt = listener(signal, code) === 'heeded' ? Date.now() : undefined;
      else if (Date.now() - heededAt > PATIENCE_MS) process.exit(code);
    };
    for (const signal of SIGNALS) process.on(signal, heed);
  },
  stdout: (line) => void process.stdout.write(`${line}\n`),
  stderr: (line) => void process.stderr.write(`${line}\n`),
};

interface Flags {
  readonly editor: 'workspace' | 'neovim';
  readonly workspace: string;
  readonly port?: number;
  readonly agents: readonly AgentName[];
  readonly review: ReviewPolicy;
  readonly headless: boolean;
  readonly logFile?: string;
  readonly logLevel: 'info' | 'error';
  readonly json: boolean;
  readonly diagnostics?: string;
  readonly matcher: 'tsc' | 'gcc' | 'eslint-json';
  readonly format?: string;
  readonly deny: readonly string[];
  readonly executeCode?: string;
  readonly executeTool: string;
}

const program = new Command('hawser')
  .description('One line between every coding agent and every editor')
  .version(version)
  .showHelpAfterError()
  .exitOverride();

program
  .command('serve', { isDefault: true })
  .description('serve a workspace to coding agents')
  .option('-w, --workspace <dir>', 'the folder to serve', '.')
  .addOption(
    new Option('--editor <name>', 'the editor to serve; neovim is for its plugin, which starts this itself')
      .choices(['workspace', 'neovim'])
      .default('workspace'),
  )
  .option('-p, --port <n>', 'the port to listen on (default: the one from last time, or any)', toPort)
  .option('--agents <names>', `which kinds of agents can connect: ${AGENTS.join(', ')}`, toAgents, ['claude-code'])
  .option('--headless', 'no view of its own, even in a terminal', false)
  .addOption(
    new Option('--review <policy>', 'what becomes of proposals').choices(['ask', 'accept', 'reject']).default('ask'),
  )
  .option('--diagnostics <command>', 'a command that reports problems, such as "tsc --noEmit"')
  .addOption(
    new Option('--matcher <form>', 'how that command reports them')
      .choices(['tsc', 'gcc', 'eslint-json'])
      .default('tsc'),
  )
  .option('--format <command>', 'a command that formats {file}')
  .option('--deny <glob...>', 'files whose text no agent gets, besides .env, keys and the like', [])
  .option('--execute-code <command>', 'an MCP server on stdio that runs code for agents, such as hawser-lisp')
  .option('--execute-tool <name>', 'the tool of that server', 'evaluate-lisp')
  .option('--log-file <path>', 'where to log instead of stderr')
  .addOption(new Option('--log-level <level>', 'what to log').choices(['info', 'error']).default('info'))
  .option('--json', 'log as JSON, an object a line', false)
  .action(async (flags: Flags) => {
    if (flags.editor === 'neovim') return await startInNeovim(flags);
    const end = () => void starting.then((running) => running.close()).then(() => process.exit(ExitCode.ok));
    const begin = flags.headless || environment.terminal === undefined ? serve : serveInTerminal;
    const starting = begin(
      { ...flags, port: flags.port, logFile: flags.logFile, diagnostics: flags.diagnostics, format: flags.format },
      environment,
      end,
    );
    // From the very beginning: whoever reads the line it prints may end it in the next moment.
    let isEditing = () => false;
    environment.onSignal((signal) => {
      if (signal === 'SIGINT' && isEditing()) return 'ignored';
      end();
      return 'heeded';
    });
    const running = await starting;
    isEditing = running.isEditing ?? isEditing;
    process.once('exit', () => running.removeDiscovery());
  });

addUserCommands(program, environment);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Undefined when nobody sits there. */
function terminal(): TerminalOptions | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || env.TERM === 'dumb') return undefined;
  // See no-color.org: any value but none counts.
  return { input: stdin, output: stdout, colours: (env.NO_COLOR ?? '') === '' ? 'yes' : 'no' };
}

/** Loaded only when it is asked for: its client is larger than all of the rest. */
async function startInNeovim(flags: Flags): Promise<void> {
  const { port, agents, deny, logFile, logLevel, json, executeCode, executeTool } = flags;
  if (process.stdin.isTTY) {
    throw new CommandFailed(ExitCode.usage, 'Neovim starts this itself: see :help hawser, and docs/neovim.md');
  }
  const { serveNeovim } = await import('./cli/serve-neovim.ts');
  const end = () => process.exit(ExitCode.ok);
  const streams = { reader: process.stdin, writer: process.stdout, onEnd: end };
  const options = { port, agents, deny, logFile, logLevel, json, executeCode, executeTool };
  const starting = serveNeovim(options, environment, streams);
  environment.onSignal(() => {
    void starting.then((running) => running.close()).finally(end);
    return 'heeded';
  });
  const running = await starting;
  process.once('exit', () => running.removeDiscovery());
}

function report(error: unknown): number {
  if (error instanceof CommandFailed) {
    environment.stderr(escaped(`hawser: ${error.message}`));
    return error.exitCode;
  }
  // Commander has said what was wrong already, and ends with 0 after --help.
  const { code, exitCode } = error as { code?: string; exitCode?: number };
  if (code?.startsWith('commander.')) return exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  environment.stderr(escaped(`hawser: ${error instanceof Error ? error.message : String(error)}`));
  return ExitCode.failed;
}

function toPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}

function toAgents(text: string): AgentName[] {
  return text.split(',').map((name) => {
    const agent = AGENTS.find((known) => known === name.trim());
    if (agent === undefined) throw new InvalidArgumentError(`Unknown agent: ${name}. Known are ${AGENTS.join(', ')}.`);
    return agent;
  });
}
