import { type BridgeChoice, withBridgeOptions } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { withBridge } from '../command-line/running-bridge.ts';

export const stopCommand = withBridgeOptions({
  name: 'stop',
  description: 'stop the bridge that serves a workspace',
  options: [],
});

/** Ends the bridge that serves a workspace, and waits until it has. */
export function stop(choice: BridgeChoice, environment: Environment): Promise<void> {
  return withBridge(choice, environment, async (bridge) => {
    const { pid } = await bridge.stop();
    await bridge.closed;
    environment.stdout(`hawser: stopped (process ${pid})`);
  });
}
