// @ts-check
// `node scripts/run-typescript.mjs test/fuzz/main.ts --help`: bundles a program in TypeScript, with our packages from their
// sources, and runs it. It gets the folder of the repository in HAWSER_ROOT.
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './prepare.mjs';
import { run } from './steps.mjs';

const [program = '', ...args] = process.argv.slice(2);
const folder = join(root, 'node_modules', '.cache', 'hawser');
mkdirSync(folder, { recursive: true });
const outfile = join(folder, `${basename(dirname(program))}.mjs`);
await build({
  entryPoints: [join(root, program)],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  conditions: ['@hawser/source'],
  sourcemap: 'inline',
  logLevel: 'warning',
});
process.exitCode = await run(process.execPath, ['--enable-source-maps', outfile, ...args], {
  env: { ...process.env, HAWSER_ROOT: root },
});
