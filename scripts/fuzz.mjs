// @ts-check
// `npm run fuzz`: bundles test/fuzz, which is TypeScript, and runs it. `npm run fuzz -- --help` lists the options.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './prepare.mjs';
import { run } from './steps.mjs';

const folder = join(root, 'node_modules', '.cache', 'hawser');
mkdirSync(folder, { recursive: true });
const outfile = join(folder, 'fuzz.mjs');
await build({
  entryPoints: [join(root, 'test', 'fuzz', 'main.ts')],
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
const HAWSER_FUZZ_FOLDER = pathToFileURL(join(root, 'test', 'fuzz', '/')).href;
process.exitCode = await run(process.execPath, ['--enable-source-maps', outfile, ...process.argv.slice(2)], {
  env: { ...process.env, HAWSER_FUZZ_FOLDER },
});
