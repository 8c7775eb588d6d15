import { join } from 'node:path';
import { neovims, repository } from '../../testing/neovim/neovims.ts';
import { describeHostileBridge } from './hostile-bridge.contract.ts';

// The other suites of the kit are in editors/neovim, with the keys of a user instead of hands.
for (const { program, version } of neovims) {
  describeHostileBridge(`Neovim ${version}`, {
    command: [program, '--headless', '-n', '-i', 'NONE', '-u', join(repository, 'test', 'nvim', 'init.lua')],
    variables: process.env,
    framing: 'msgpack',
  });
}
