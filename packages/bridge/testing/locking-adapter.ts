import { join } from 'node:path';
import type { AgentAdapter } from '../src/agent.ts';
import type { EndpointSettings, LockSettings } from '../src/agents/adapter-parts/endpoint.ts';
import type { Dialect } from './agent.ts';
import type { AdapterUnderTest } from './stage.ts';

/** An adapter whose lock files are in a folder of the home. */
export function lockingAdapter(
  dialect: Dialect,
  lockFolder: string,
  make: (given: EndpointSettings & LockSettings, home: string) => AgentAdapter,
  identity = { name: 'Hawser', version: '0.0.0' },
): AdapterUnderTest {
  return {
    dialect,
    make: ({ stateFolder, home }) => make({ stateFolder, ideName: 'Hawser', lockFolder: join(home, lockFolder) }, home),
    identity,
    workspaceIn: ({ workspacePath, workspaceFolders }) => workspacePath ?? (workspaceFolders as string[])[0],
  };
}
