import { join } from 'node:path';
import type { AdapterUnderTest } from '../../../testing/stage.ts';
import { describeAgentAdapter } from '../../agent.contract.ts';
import { describeHttpAdapter } from '../http.contract.ts';
import { type CopilotCliOptions, copilotCliAdapter } from './adapter.ts';

const copilotCli = (options: Partial<CopilotCliOptions> = {}): AdapterUnderTest => ({
  dialect: 'copilot-cli',
  make: ({ stateFolder, home }) =>
    copilotCliAdapter({
      stateFolder,
      ideName: 'Hawser',
      lockFolder: join(home, '.copilot', 'ide'),
      socketFolder: join(stateFolder, 'sockets'),
      abandonedMs: 50,
      ...options,
    }),
  identity: { name: 'Hawser', version: '0.0.0' },
  workspaceIn: ({ workspaceFolders }) => (workspaceFolders as string[])[0],
});

describeAgentAdapter('the copilot-cli adapter', copilotCli());
describeHttpAdapter('the copilot-cli adapter', copilotCli(), copilotCli({ abandonedMs: 60_000 }));
