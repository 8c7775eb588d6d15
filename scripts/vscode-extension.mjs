// @ts-check
// Makes the folder of the VS Code extension: its bundle, what its manifest names, and the bridge.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './prepare.mjs';
import { run } from './steps.mjs';

export const source = join(root, 'editors', 'vscode');

/** Packs the extension, and needs a newer Node than Hawser does. */
export const VSIX_PACKAGER = '@vscode/vsce@4.1.0';
/** The package of npm with a Node for this machine. */
export const NODE = `node-${process.platform}-${process.arch}`;

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

/**
 * Packs what `makeExtension` has made. Returns the exit code.
 * @param {string} extension
 * @param {string} file
 * @param {string} tools where the packager and Node are installed
 */
export function packExtension(extension, file, tools) {
  const packager = join(tools, 'node_modules', '@vscode', 'vsce', 'vsce');
  const words = ['package', '--no-dependencies', '--out', file];
  return run(join(tools, 'node_modules', NODE, 'bin', 'node'), [packager, ...words], { cwd: extension });
}
