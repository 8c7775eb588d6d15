import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lockingAdapter } from '../../../testing/locking-adapter.ts';
import { addressOf, lockOf, lockPathOf, Stage } from '../../../testing/stage.ts';
import { describeAgentAdapter } from '../../agent.contract.ts';
import { describeHttpAdapter } from '../adapter-parts/http.contract.ts';
import type { CompanionOptions } from '../companion/options.ts';
import { qwenCodeAdapter } from './adapter.ts';

const qwenCode = (options: Partial<CompanionOptions> = {}) =>
  lockingAdapter('qwen-code', '.qwen/ide', (given) => qwenCodeAdapter({ ...given, abandonedMs: 50, ...options }));

describeAgentAdapter('the qwen-code adapter', qwenCode());
describeHttpAdapter('the qwen-code adapter', qwenCode(), qwenCode({ abandonedMs: 60_000 }));

it('the qwen-code adapter has a lock named for its port with ideInfo, and port and folders in the environment', async () => {
  const stage = new Stage(qwenCode());
  const adapter = await stage.openAdapter();
  const port = Number(new URL(addressOf(adapter)).port);
  expect(lockPathOf(adapter)).toBe(join(stage.home, '.qwen', 'ide', `${port}.lock`));
  expect(lockOf(adapter)).toEqual({
    port,
    workspacePath: stage.folder,
    authToken: expect.stringMatching(/^[\w-]{43}$/),
    ppid: process.pid,
    ideName: 'Hawser',
    ideInfo: { name: 'hawser', displayName: 'Hawser' },
  });
  expect({ ...adapter.environment }).toEqual({
    QWEN_CODE_IDE_SERVER_PORT: String(port),
    QWEN_CODE_IDE_WORKSPACE_PATH: stage.folder,
  });
});
