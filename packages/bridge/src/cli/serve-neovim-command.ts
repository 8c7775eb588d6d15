import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { endProcess, exitNow } from '@hawser/command-line/process-end';
import type { Environment } from './environment.ts';
import type { ServeFlags } from './serve-command.ts';
import { serveNeovim } from './serve-neovim.ts';

const FAILED_MS = 1000;

/** Serves the Neovim that has started this process, on stdin and stdout. */
export async function runServeNeovim(flags: ServeFlags, environment: Environment): Promise<void> {
  if (process.stdin.isTTY) {
    throw new CommandFailed(ExitCode.usage, 'Neovim starts this itself: see :help hawser, and docs/neovim.md');
  }
  const { port, agents, deny, history, noticing, logFile, logLevel, json = false, executeCode, executeTool } = flags;
  const options = { port, agents, deny, history, noticing, logFile, logLevel, json, executeCode, executeTool };
  const onEnd = () => void endProcess(async () => {}, ExitCode.ok);
  const starting = serveNeovim(options, environment, { reader: process.stdin, writer: process.stdout, onEnd });
  environment.onSignal(() => {
    void endProcess(async () => (await starting).close(), ExitCode.ok);
    return 'heeded';
  });
  const running = await starting.catch((error: unknown) => {
    // The error is reported and the process ends by itself, unless something keeps it.
    process.stdin.destroy();
    setTimeout(() => exitNow(ExitCode.failed), FAILED_MS).unref();
    throw error;
  });
  process.once('exit', () => running.removeDiscovery());
}
