import { DEFAULT_AGENTS } from '../agents/agents.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Environment } from './environment.ts';
import { type ServeOptions, serve } from './serve.ts';

export interface ServedFolder {
  readonly control: ControlClient;
  /** What agents need that are started in it. */
  environment(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

/** Serves a folder without a view as `hawser serve` does by default, and says nothing but problems. */
export async function serveDefaults(
  workspace: string,
  environment: Environment,
  more: Pick<ServeOptions, 'isStandIn'> = {},
): Promise<ServedFolder> {
  let stop = () => {};
  const options: ServeOptions = {
    workspace,
    port: undefined,
    agents: DEFAULT_AGENTS,
    review: 'ask',
    logFile: undefined,
    logLevel: 'error',
    json: false,
    diagnostics: undefined,
    matcher: 'tsc',
    languageServers: 'auto',
    format: undefined,
    deny: [],
    executeTool: '',
    ...more,
  };
  const running = await serve(options, { ...environment, stdout: () => {} }, () => stop());
  const removeDiscovery = () => running.removeDiscovery();
  process.once('exit', removeDiscovery);
  stop = () => void running.close();
  const control = running.control();
  return {
    control,
    environment: () => control.environment(),
    close: async () => {
      process.off('exit', removeDiscovery);
      await running.close();
    },
  };
}
