// @ts-check
// `npm run pictures -- lisp`: makes the pictures in docs/images anew, all of them or those that words choose. They need tmux,
// asciinema and chromium.
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { run } from './steps.mjs';

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
/** @type {Record<string, string[]>} */
const pictures = {
  demo: [join(root, 'scripts', 'record-demos.mjs'), 'bridge'],
  lisp: [join(root, 'scripts', 'record-demos.mjs'), 'lisp'],
  inspect: [join(root, 'scripts', 'screenshot.mjs')],
  screens: [vitest, 'run', '--config', 'test/screens/vitest.config.ts', 'screens.pictures'],
  page: [vitest, 'run', '--config', 'test/screens/vitest.config.ts', 'review-page.pictures'],
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(pictures);
const unknown = wanted.filter((name) => !Object.hasOwn(pictures, name));
if (unknown.length > 0) {
  console.error(`There is no picture ${unknown.join(', ')}. npm run pictures -- ${Object.keys(pictures).join('|')}`);
  process.exit(2);
}
for (const name of wanted) {
  const exitCode = await run(process.execPath, pictures[name] ?? [], { cwd: root });
  if (exitCode !== 0) process.exit(exitCode);
}
