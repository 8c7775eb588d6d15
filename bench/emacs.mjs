// What the Emacs plugin costs, byte-compiled: node bench/emacs.mjs
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { measurePlugin } from './plugins/measures.mjs';
import { root } from './plugins/plugin.mjs';

const version = execFileSync('emacs', ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? '';
await measurePlugin(version.replace('GNU ', ''), (home) => {
  for (const file of ['editors/emacs/hawser.el', 'bench/plugins/bench.el']) {
    const copy = join(home, file.replace(/.*\//, ''));
    copyFileSync(join(root, file), copy);
    execFileSync('emacs', ['-Q', '--batch', '-L', home, '-f', 'batch-byte-compile', copy], { stdio: 'ignore' });
  }
  return `emacs -nw -Q -L ${home} -l ${join(home, 'bench.elc')}`;
});
process.exit(0);
