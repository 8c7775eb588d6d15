import type { Environment } from './environment.ts';
import { type BridgeChoice, withBridge } from './running-bridge.ts';

export function pause(choice: BridgeChoice, environment: Environment): Promise<void> {
  return withBridge(choice, environment, async (bridge) => {
    await bridge.pause();
    environment.stdout('hawser: paused; agents get nothing until `hawser resume`');
  });
}

export function resume(choice: BridgeChoice, environment: Environment): Promise<void> {
  return withBridge(choice, environment, async (bridge) => {
    await bridge.resume();
    environment.stdout('hawser: resumed');
  });
}
