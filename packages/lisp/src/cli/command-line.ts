import { listenStdio } from '@hawser/mcp/stdio';
import { messageOf } from '@hawser/unknown-values/thrown';
import { Command, InvalidArgumentError, Option } from 'commander';
import { TOOL_NAMES, type ToolChoice } from '../tools/all.ts';
import type { Environment } from './environment.ts';
import { type AttachAddress, ENGINES, type EngineName, type ServeOptions, serve } from './serve.ts';
import { UsageError } from './usage-error.ts';
import { words } from './words.ts';

const DEMO_PAUSE_MS = 1200;

interface Flags {
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly project?: readonly string[];
  readonly load?: readonly string[];
  readonly userinit?: string | true;
  readonly swank?: boolean;
  readonly attach?: AttachAddress;
  readonly tools: ToolChoice;
  readonly heap?: number;
  readonly timeout?: number;
  readonly loadTimeout?: number;
  readonly engine: EngineName;
  readonly maxSessions?: number;
  readonly idle?: number;
  readonly demo?: boolean;
}

/** Runs the command with the arguments of the process, and returns its exit code. */
export async function runCommandLine(args: readonly string[], environment: Environment): Promise<number> {
  try {
    await commandIn(environment).parseAsync([...args]);
    return 0;
  } catch (error) {
    return report(error, environment);
  }
}

function commandIn(environment: Environment): Command {
  return (
    new Command('hawser-lisp')
      .description('A real, persistent Common Lisp for coding agents: an MCP server on stdin and stdout')
      .version(environment.version, '-V, --version', 'print the version')
      .helpOption('-h, --help', 'print this help')
      // As in the help of hawser: what can be chosen and the default are part of each text.
      .configureHelp({ optionDescription: ({ description }) => description })
      .option('--cwd <dir>', 'the working directory of each Lisp (default: the current one)')
      .option('--project <dir>', 'a folder whose systems ASDF finds, besides --cwd; can be repeated', addPath)
      .option('--load <file>', 'a file that each Lisp loads at its start; can be repeated', addPath)
      .option('--userinit [file]', 'load ~/.sbclrc or ~/.eclrc, or this file, at the start of each Lisp')
      .option('--swank', 'start Swank in each Lisp, on loopback, with the secret in ~/.slime-secret')
      .option('--attach <host:port>', 'serve an SBCL that runs Swank there, or Slynk: slynk:<host:port>', toAddress)
      .option('--tools <set>', 'core, all, or names of tools separated by commas (default: core)', toTools, 'core')
      .addOption(
        new Option('--engine <name>', `which Lisp (one of ${ENGINES.join(', ')}; default: sbcl)`)
          .choices(ENGINES)
          .default('sbcl'),
      )
      .option('--command <words>', 'a command that wraps each Lisp, such as "bwrap … --"', toWords)
      .option('--env <name=value>', 'a variable in the environment of each Lisp; can be repeated', addVariable)
      .option('--heap <MB>', 'the heap of each Lisp (default: 512)', toNumber('megabytes', 64, 65_536))
      .option(
        '--timeout <seconds>',
        'how long a call may take, 0: no limit (default: 30)',
        toNumber('seconds', 0, 86_400),
      )
      .option(
        '--load-timeout <seconds>',
        'the same to load or test a system (default: 600)',
        toNumber('seconds', 0, 86_400),
      )
      .option('--max-sessions <n>', 'how many sessions can run (default: 8)', toNumber('sessions', 1, 64))
      .option('--idle <minutes>', 'when an unused session ends, 0: never (default: 15)', toNumber('minutes', 0, 10_080))
      .option('--demo', 'show a session of an agent, with a real Lisp, and exit')
      .addHelpText(
        'after',
        `
Environment:
  SBCL_BIN         the SBCL to use, if not the one on PATH
  ECL_BIN          the ECL to use, if not the one on PATH
  XDG_CACHE_HOME   where saved cores are kept (default: ~/.cache)

Evaluated code is arbitrary code with the rights of this process; confine it with --command.`,
      )
      .showHelpAfterError()
      .exitOverride()
      .action((flags: Flags) => run(flags, environment))
  );
}

/** Serves until the client disconnects or a signal arrives. */
async function run(flags: Flags, environment: Environment): Promise<void> {
  // The reader of stderr may be gone.
  process.stderr.on('error', () => {});
  const options = {
    ...flags,
    command: flags.command ?? [],
    env: flags.env ?? {},
    project: flags.project ?? [],
    load: flags.load ?? [],
    cwd: flags.cwd,
    heap: flags.heap,
    timeout: flags.timeout,
    loadTimeout: flags.loadTimeout,
    userinit: flags.userinit,
    swank: flags.swank === true,
    attach: flags.attach,
    maxSessions: flags.maxSessions,
    idle: flags.idle,
  };
  if (flags.demo === true) return demonstrate(options, environment);
  const serving = serve(listenStdio(), options, environment);
  // A bug in one call must not cost the sessions their state, nor leave a call without an answer.
  process.on('uncaughtException', (error) => {
    environment.stderr(`hawser-lisp: ${error.stack ?? error}`);
    serving.failed(error);
  });
  // A terminal and a parent that forwards signals can both send one; closing twice is safe.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void serving.close());
  await serving.ended;
  // A Lisp that does not end must not keep the process.
  process.exit(0);
}

async function demonstrate(options: ServeOptions, environment: Environment): Promise<void> {
  // Its reader has seen enough, as in `hawser-lisp --demo | head`. The Lisps end with this process.
  process.stdout.on('error', () => process.exit(0));
  const { runDemo } = await import('./demo.ts');
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, process.stdout.isTTY ? DEMO_PAUSE_MS : 0));
  await runDemo(options, environment, (text) => void process.stdout.write(text), pause);
}

function report(error: unknown, environment: Environment): number {
  // Commander has printed the message, and its code is 0 after --help.
  const { code, exitCode } = error as { code?: string; exitCode?: number };
  if (code?.startsWith('commander.')) return exitCode === 0 ? 0 : 2;
  environment.stderr(`hawser-lisp: ${messageOf(error)}`);
  return error instanceof UsageError ? 2 : 1;
}

function toWords(line: string): string[] {
  try {
    return words(line);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function addVariable(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^=\0]+)=([^\0]*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write NAME=VALUE.');
  return { ...before, [name]: value };
}

function addPath(path: string, before: readonly string[] = []): string[] {
  return [...before, path];
}

function toAddress(text: string): AttachAddress {
  const [, kind, host, port] = /^(?:(swank|slynk):)?(127(?:\.\d+){3}|localhost|\[::1\]):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined) {
    throw new InvalidArgumentError('Write a port of this machine: 127.0.0.1:4005, or slynk:127.0.0.1:4005.');
  }
  return { server: kind === 'slynk' ? 'Slynk' : 'Swank', host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

function toTools(text: string): ToolChoice {
  if (text === 'core' || text === 'all') return text;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !TOOL_NAMES.includes(name));
  if (unknown === undefined) return [...new Set(names)];
  throw new InvalidArgumentError(`There is no tool ${JSON.stringify(unknown)}. Choose from ${TOOL_NAMES.join(', ')}.`);
}

function toNumber(what: string, least: number, most: number): (text: string) => number {
  const whole = what === 'megabytes' || what === 'sessions';
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(
      `Give ${whole ? 'a whole number' : 'a number'} of ${what} from ${least} to ${most}.`,
    );
  };
}
