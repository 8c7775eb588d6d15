import { AGENTS } from '../agents/agents.ts';
import type { Finding } from './finding.ts';

interface Program {
  readonly id: string;
  readonly title: string;
  readonly command: string;
  /** What it is for, if it is missing. */
  readonly advice: string;
}

const PROGRAMS: readonly Program[] = [
  { id: 'neovim', title: 'Neovim', command: 'nvim', advice: 'Install Neovim to use its plugin.' },
  { id: 'sbcl', title: 'SBCL', command: 'sbcl', advice: 'Install SBCL to use hawser-lisp.' },
  ...AGENTS.flatMap(({ name: id, title, program }) =>
    program === undefined ? [] : { id, title, command: program.command, advice: program.install },
  ),
];

/** Some agents take seconds to say their version. */
const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** The programs that Hawser works with, and their versions. */
export function programFindings(variables: NodeJS.ProcessEnv, timeout = TIMEOUT_MS): Promise<Finding[]> {
  return Promise.all(PROGRAMS.map((program) => programFinding(program, variables, timeout)));
}

async function programFinding(program: Program, variables: NodeJS.ProcessEnv, timeout: number): Promise<Finding> {
  const { id, title, command, advice } = program;
  const version = await versionOf(command, variables, timeout);
  if (version === undefined) return { id, title, status: 'missing', detail: `no command ${command}`, advice };
  if (version instanceof Error) {
    const help = `Run ${command} --version yourself to see what is wrong.`;
    return { id, title, status: 'warning', detail: version.message, advice: help };
  }
  const review = AGENTS.find(({ name }) => name === id)?.review;
  if (review === undefined) return { id, title, status: 'ok', detail: version };
  const words = `${version}. ${review.sentence}`;
  if (review.kind === 'yes') return { id, title, status: 'ok', detail: words };
  // Nothing is wrong with it; its user should know.
  return { id, title, status: 'ok', detail: words, ...(review.todo !== undefined && { advice: review.todo }) };
}

/** The first line that the program prints; undefined if it is not installed. */
function versionOf(
  command: string,
  variables: NodeJS.ProcessEnv,
  timeout: number,
): Promise<string | Error | undefined> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve) => {
    const options = { timeout, killSignal: 'SIGKILL' as const, maxBuffer: MAX_OUTPUT_BYTES, env: variables };
    const child = execFile(command, ['--version'], options, (error, stdout) => {
      if (error?.code === 'ENOENT') resolve(undefined);
      else if (error?.killed) resolve(new Error(`${command} --version did not end within ${timeout / 1000} s`));
      else if (error) resolve(new Error(`${command} --version failed: ${error.message.split('\n')[0]}`));
      else resolve(stdout.trim().split('\n')[0] ?? '');
    });
    child.stdin?.end();
  });
}
