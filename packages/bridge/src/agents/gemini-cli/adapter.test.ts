import { join } from 'node:path';
import type { AdapterUnderTest } from '../../../testing/stage.ts';
import { describeAgentAdapter } from '../../agent.contract.ts';
import type { CompanionOptions } from '../companion/companion.ts';
import { describeHttpAdapter } from '../http.contract.ts';
import { geminiCliAdapter } from './adapter.ts';

const geminiCli = (options: Partial<CompanionOptions> = {}): AdapterUnderTest => ({
  dialect: 'gemini-cli',
  make: ({ stateFolder, home }) =>
    geminiCliAdapter({
      stateFolder,
      ideName: 'Hawser',
      lockFolder: join(home, 'tmp', 'gemini', 'ide'),
      abandonedMs: 50,
      ...options,
    }),
  identity: { name: 'Hawser', version: '0.0.0' },
  workspaceIn: ({ workspacePath }) => workspacePath,
});

describeAgentAdapter('the gemini-cli adapter', geminiCli());
describeHttpAdapter('the gemini-cli adapter', geminiCli(), geminiCli({ abandonedMs: 60_000 }));
