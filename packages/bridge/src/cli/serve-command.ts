import { ExitCode } from '@hawser/command-line/exit-codes';
import { endProcess } from '@hawser/command-line/process-end';
import type { Environment } from './environment.ts';
import { type ReviewPolicy, type Running, type ServeOptions, serve } from './serve.ts';

export type BeginServing = (options: ServeOptions, environment: Environment, stop: () => void) => Promise<Running>;

export interface ServeFlags {
  readonly editor: 'workspace' | 'neovim';
  readonly workspace: string;
  readonly port?: number;
  readonly agents: readonly string[];
  readonly review: ReviewPolicy;
  readonly headless?: true;
  readonly logFile?: string;
  readonly logLevel: 'info' | 'error';
  readonly json?: true;
  readonly diagnostics?: string;
  readonly matcher: 'tsc' | 'gcc' | 'eslint-json';
  readonly format?: string;
  readonly languageServers: 'auto' | 'path' | 'off';
  readonly trust?: true;
  readonly deny: readonly string[];
  readonly history: 'kept' | 'off';
  readonly noticing: 'on' | 'off';
  readonly executeCode?: string;
  readonly executeTool: string;
}

/** `hawser serve` without a view. */
export function runServe(flags: ServeFlags, environment: Environment): Promise<void> {
  return serveUntilEnded(serve, flags, environment);
}

/** Serves a folder until a signal, a command or the user ends it. */
export async function serveUntilEnded(begin: BeginServing, flags: ServeFlags, environment: Environment): Promise<void> {
  const { port, logFile, diagnostics, format, json = false } = flags;
  const end = () => void endProcess(async () => (await starting).close(), ExitCode.ok);
  const starting = begin({ ...flags, port, logFile, diagnostics, format, json }, environment, end);
  // From the very beginning: a program that reads the line it prints may end it in the next moment.
  let isEditing = () => false;
  environment.onSignal((signal) => {
    if (signal === 'SIGINT' && isEditing()) return 'ignored';
    end();
    return 'heeded';
  });
  const running = await starting;
  isEditing = running.isEditing ?? isEditing;
  process.once('exit', () => running.removeDiscovery());
}
