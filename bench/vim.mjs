// What the Vim plugin costs: node bench/vim.mjs
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { measurePlugin } from './plugins/measures.mjs';
import { root } from './plugins/plugin.mjs';

const said = execFileSync('vim', ['--version'], { encoding: 'utf8' });
const [, version = '', patch = ''] = /IMproved (\S+)[\s\S]*?patches: 1-(\d+)/.exec(said) ?? [];
await measurePlugin(`Vim ${version}.${patch}`, () => `vim -Nu ${join(root, 'bench', 'plugins', 'bench.vim')}`);
process.exit(0);
