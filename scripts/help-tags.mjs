// @ts-check
// Writes doc/tags of both plugins, by which Neovim and Vim find `:help hawser` however the plugin is installed: a plugin
// manager runs :helptags, a link in a packpath does not.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const file = 'hawser.txt';
for (const folder of [join(root, 'doc'), join(root, 'editors', 'vim', 'doc')]) {
  const text = readFileSync(join(folder, file), 'utf8');
  // A tag is a word between asterisks, with white space around.
  const tags = [...text.matchAll(/(?<=^|\s)\*([^*\s|]+)\*(?=\s|$)/g)].map(([, tag = '']) => tag);
  const lines = tags.map((tag) => `${tag}\t${file}\t/*${tag.replaceAll(/[\\/]/g, '\\$&')}*\n`);
  // They are looked up by halves, in the order of their bytes.
  lines.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  writeFileSync(join(folder, 'tags'), lines.join(''));
}
