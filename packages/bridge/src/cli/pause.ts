import type { Environment } from './environment.ts';
import { withBridge } from './running-bridge.ts';

export function pause(workspace: string | undefined, environment: Environment): Promise<void> {
  return withBridge(workspace, environment, async (bridge) => {
    await bridge.pause();
    environment.stdout('hawser: paused; agents get nothing until `hawser resume`');
  });
}

export function resume(workspace: string | undefined, environment: Environment): Promise<void> {
  return withBridge(workspace, environment, async (bridge) => {
    await bridge.resume();
    environment.stdout('hawser: resumed');
  });
}
