// @ts-check
// Bundles the entries of the packages: loading forty small files would double the start-up cost of a server.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

for (const name of ['mcp']) {
  const folder = join(root, 'packages', name);
  /** @type {{ exports: Record<string, Record<string, string>> }} */
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // Their names hold hashes, so old ones would pile up.
  rmSync(join(folder, 'dist', 'chunks'), { recursive: true, force: true });
  const entryPoints = Object.values(exports).map((entry) => join(folder, entry['@hawser/source'] ?? ''));
  await build({
    entryPoints,
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
}
