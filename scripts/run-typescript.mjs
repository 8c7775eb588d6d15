// @ts-check
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './prepare.mjs';
import { run } from './steps.mjs';

/**
 * Bundles a program in TypeScript, with our packages from their sources, and runs it with the arguments of this process.
 * @param {string} program its path in the repository
 * @param {{ readonly [name: string]: string }} env
 * @returns {Promise<number>} its exit code
 */
export async function runTypeScript(program, env) {
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
  const args = ['--enable-source-maps', outfile, ...process.argv.slice(2)];
  return run(process.execPath, args, { env: { ...process.env, ...env } });
}
