// @ts-check
// `npm run docs`: generates the reference from the code and builds the site into docs/.vitepress/dist.
//   npm run docs -- serve     shows the pages while you write them
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadManual } from './load-source.mjs';
import { installArguments, prepare, root } from './prepare.mjs';
import { run, runSteps } from './steps.mjs';

const docs = join(root, 'docs');
const reference = join(docs, 'reference');
/** @param {string} name */
const bin = (name) => join(docs, 'node_modules', '.bin', name);

await runSteps(process.stdout, async (steps) => {
  await prepare(steps);
  await steps.step('install what builds the site', () => steps.npm(docs, installArguments));
  await steps.build(root);
  await steps.step('reference', async () => {
    rmSync(reference, { recursive: true, force: true });
    mkdirSync(reference, { recursive: true });
    writeFileSync(join(reference, 'commands.md'), (await loadManual()).commandReference());
    writeFileSync(join(reference, 'hawser-lisp.md'), lispReference());
    return await run(bin('typedoc'), ['--options', join(docs, 'typedoc.json')], { cwd: docs });
  });
  const command = process.argv[2] === 'serve' ? 'dev' : 'build';
  await steps.step(`vitepress ${command}`, () => run(bin('vitepress'), [command, docs], { cwd: docs }));
});

function lispReference() {
  const program = join(root, 'packages', 'lisp', 'dist', 'main.cjs');
  const help = execFileSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
  return `# hawser-lisp\n\nWhat \`hawser-lisp --help\` prints:\n\n\`\`\`\n${help.trim()}\n\`\`\`\n`;
}
