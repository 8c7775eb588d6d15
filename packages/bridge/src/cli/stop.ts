import type { Environment } from './environment.ts';
import { withBridge } from './running-bridge.ts';

/** Ends the bridge that serves a workspace, and waits until it has. */
export function stop(workspace: string | undefined, environment: Environment): Promise<void> {
  return withBridge(workspace, environment, async (bridge) => {
    const { pid } = await bridge.stop();
    await bridge.closed;
    environment.stdout(`hawser: stopped (process ${pid})`);
  });
}
