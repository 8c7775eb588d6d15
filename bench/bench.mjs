// `npm run bench -- lisp --strict`: the first word chooses what is measured, the rest are its options. Without a word it is
// @hawser/mcp beside other implementations.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** With the flags of Node that each needs. */
const BENCHMARKS = {
  mcp: [],
  bridge: ['--expose-gc'],
  page: [],
  neovim: [],
  emacs: [],
  vim: [],
  lisp: [],
  redis: [],
  cluster: [],
  'http-client': [],
  types: [],
};
const [first = '', ...rest] = process.argv.slice(2);
const isName = /^[a-z]/.test(first);
const name = isName ? first : 'mcp';
const options = isName ? rest : process.argv.slice(2);
if (!Object.hasOwn(BENCHMARKS, name)) {
  console.error(`npm run bench -- ${Object.keys(BENCHMARKS).join('|')}`);
  process.exit(2);
}
const args = [...BENCHMARKS[name], join(import.meta.dirname, `${name}.mjs`), ...options];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
process.exitCode = status ?? 1;
