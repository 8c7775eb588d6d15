import { join } from 'node:path';
import type { AdapterUnderTest } from '../../../testing/stage.ts';
import { describeAgentAdapter } from '../../agent.contract.ts';
import type { CompanionOptions } from '../companion/companion.ts';
import { describeHttpAdapter } from '../http.contract.ts';
import { qwenCodeAdapter } from './adapter.ts';

const qwenCode = (options: Partial<CompanionOptions> = {}): AdapterUnderTest => ({
  dialect: 'qwen-code',
  make: ({ stateFolder, home }) =>
    qwenCodeAdapter({
      stateFolder,
      ideName: 'Hawser',
      lockFolder: join(home, '.qwen', 'ide'),
      abandonedMs: 50,
      ...options,
    }),
  identity: { name: 'Hawser', version: '0.0.0' },
  workspaceIn: ({ workspacePath }) => workspacePath,
});

describeAgentAdapter('the qwen-code adapter', qwenCode());
describeHttpAdapter('the qwen-code adapter', qwenCode(), qwenCode({ abandonedMs: 60_000 }));
