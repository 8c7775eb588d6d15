import { type BridgeChoice, withBridgeOptions } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { withBridge } from '../command-line/running-bridge.ts';

export const pauseCommand = withBridgeOptions({
  name: 'pause',
  description: 'share nothing with agents, and refuse what they propose, until resumed',
  options: [],
});

export function pause(choice: BridgeChoice, environment: Environment): Promise<void> {
  return withBridge(choice, environment, async (bridge) => {
    await bridge.pause();
    environment.stdout('hawser: paused; agents get nothing until `hawser resume`');
  });
}

export const resumeCommand = withBridgeOptions({
  name: 'resume',
  description: 'share with agents again',
  options: [],
});

export function resume(choice: BridgeChoice, environment: Environment): Promise<void> {
  return withBridge(choice, environment, async (bridge) => {
    await bridge.resume();
    environment.stdout('hawser: resumed');
  });
}
