// @ts-check
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

/**
 * Loads a module of the sources, which are TypeScript. What it imports with `import()` is not loaded.
 * @param {string} path below the root
 */
export async function loadSource(path) {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-source-'));
  try {
    const outfile = join(folder, 'module.mjs');
    await build({
      entryPoints: [join(root, path)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      conditions: ['@hawser/source'],
      plugins: [{ name: 'not-loaded', setup: ({ onResolve }) => onResolve({ filter: /./ }, leaveOut) }],
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * What describes the `hawser` command.
 * @returns {Promise<typeof import('../packages/bridge/src/command-line/manual.ts')>}
 */
export const loadManual = () => loadSource('packages/bridge/src/command-line/manual.ts');

/** @param {import('esbuild').OnResolveArgs} args */
function leaveOut({ kind, path }) {
  return kind === 'dynamic-import' ? { path, external: true } : undefined;
}
