// @ts-check
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

/**
 * What describes the `hawser` command, from its source.
 * @returns {Promise<typeof import('../packages/bridge/src/cli/manual.ts')>}
 */
export async function loadManual() {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-manual-'));
  try {
    const outfile = join(folder, 'manual.mjs');
    await build({
      entryPoints: [join(root, 'packages', 'bridge', 'src', 'cli', 'manual.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      plugins: [{ name: 'commands-not-run', setup: ({ onResolve }) => onResolve({ filter: /./ }, leaveOut) }],
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * What commands load when they run is not needed to describe them.
 * @param {import('esbuild').OnResolveArgs} args
 */
function leaveOut({ kind, path }) {
  return kind === 'dynamic-import' ? { path, external: true } : undefined;
}
