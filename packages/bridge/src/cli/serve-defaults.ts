import type { CommandSpec } from './command.ts';
import { commands } from './commands.ts';
import type { Environment } from './environment.ts';
import { parseFlags } from './parse-flags.ts';
import { serve } from './serve.ts';
import type { ServeFlags } from './serve-command.ts';

export interface ServedFolder {
  /** What agents need that are started in it. */
  environment(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

/** Serves a folder without a view as `hawser serve` does by default, and says nothing but problems. */
export async function serveDefaults(workspace: string, environment: Environment): Promise<ServedFolder> {
  let stop = () => {};
  const spec = commands.find(({ name }) => name === 'serve') as CommandSpec; // it is in the list
  const flags = parseFlags(spec, ['--workspace', workspace, '--log-level', 'error']).flags as unknown as ServeFlags;
  const options = {
    ...flags,
    port: undefined,
    logFile: undefined,
    diagnostics: undefined,
    format: undefined,
    json: false,
  };
  const running = await serve(options, { ...environment, stdout: () => {} }, () => stop());
  const removeDiscovery = () => running.removeDiscovery();
  process.once('exit', removeDiscovery);
  stop = () => void running.close();
  const control = running.control();
  return {
    environment: () => control.environment(),
    close: async () => {
      process.off('exit', removeDiscovery);
      await running.close();
    },
  };
}
