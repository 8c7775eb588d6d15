import type { Environment } from './environment.ts';
import { type BridgeChoice, withBridge } from './running-bridge.ts';

/** Ends the bridge that serves a workspace, and waits until it has. */
export function stop(choice: BridgeChoice, environment: Environment): Promise<void> {
  return withBridge(choice, environment, async (bridge) => {
    const { pid } = await bridge.stop();
    await bridge.closed;
    environment.stdout(`hawser: stopped (process ${pid})`);
  });
}
