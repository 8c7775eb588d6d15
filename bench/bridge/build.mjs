import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { installedPackagesStayOutside } from '../../scripts/installed-packages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Under node_modules, so that the built packages are found from there.
const outfile = join(root, 'node_modules', '.cache', 'hawser-bench', 'bridge.mjs');
const source = (path) => `export * from './packages/bridge/src/${path}.ts';`;
const PARTS = [
  'access/access',
  'agents/claude-code/adapter',
  'bridge',
  'editors/workspace/workspace-editor',
  'review/reviewers/policy/policy-reviewer',
];

/** The parts of the bridge that are measured by themselves, in one file. */
export async function buildBridge() {
  /** @type {import('esbuild').StdinOptions} */
  const stdin = {
    contents: [...PARTS.map(source), "export * from '@hawser/diffs/hunks';"].join('\n'),
    resolveDir: root,
    loader: 'ts',
  };
  await build({
    stdin,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@hawser/source'],
    plugins: [installedPackagesStayOutside],
    logLevel: 'error',
  });
}

export const bridgeUrl = pathToFileURL(outfile).href;
export const program = join(root, 'packages', 'bridge', 'dist', 'main.cjs');
