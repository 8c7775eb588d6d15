// @ts-check
// Makes the folder of the VS Code extension: its bundle, what its manifest names, and the bridge.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

export const source = join(root, 'editors', 'vscode');

/**
 * @param {string} target is emptied first
 * @param {string} entry the file with `activate`
 */
export async function makeExtension(target, entry = join(source, 'src', 'extension.ts')) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await build({
    entryPoints: [entry],
    outfile: join(target, 'dist', 'extension.cjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    // That of the oldest VS Code in the manifest is 22.15.
    target: 'node22',
    conditions: ['@hawser/source'],
    external: ['vscode'],
  });
  for (const name of ['package.json', 'README.md', 'CHANGELOG.md', 'media']) {
    if (existsSync(join(source, name))) cpSync(join(source, name), join(target, name), { recursive: true });
  }
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  const bridge = join(root, 'packages', 'bridge', 'dist');
  for (const name of ['main.cjs', 'chunks', 'THIRD-PARTY.txt']) {
    // Code that V8 has compiled is of no use in another Node.
    const filter = (/** @type {string} */ path) => ['', '.cjs', '.page', '.txt'].includes(extname(path));
    cpSync(join(bridge, name), join(target, 'bridge', 'dist', name), { recursive: true, filter });
  }
}
