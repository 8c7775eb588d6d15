import { execFile } from 'node:child_process';

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

export interface GitOptions {
  /** What it reads. */
  readonly input?: string;
}

/** What git prints in a folder; undefined if it fails, for example because the folder is in no repository. */
export function git(
  folder: string,
  args: readonly string[],
  signal: AbortSignal,
  { input = '' }: GitOptions = {},
): Promise<Buffer | undefined> {
  // A repository can name a program in core.fsmonitor that git would run. Looking must not change the index.
  const safely = ['-c', 'core.fsmonitor=false', '--no-optional-locks', ...args];
  const options = {
    cwd: folder,
    signal,
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    encoding: 'buffer',
  } as const;
  return new Promise((resolve) => {
    const child = execFile('git', safely, options, (error, stdout) => resolve(error === null ? stdout : undefined));
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** The names in a list that git ends with NUL. */
export function namesIn(output: Buffer | undefined): readonly string[] {
  return (output?.toString('utf8') ?? '').split('\0').filter((name) => name !== '');
}
