// @ts-check
// The VS Code extension in a real workbench: VS Code's server from npm, with Chromium. Words choose files and tests;
// `pictures` makes those of docs/vscode.md.
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../prepare.mjs';
import { makeExtension, NODE, packExtension, source, VSIX_PACKAGER } from '../vscode-extension.mjs';

const SERVER = 'code-server@4.139.1';

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  await real.build();
  const folder = join(root, 'node_modules', '.cache', 'vscode');
  await installServer(real, folder);
  await makeExtension(join(folder, 'extension'));
  const vsix = join(folder, 'hawser.vsix');
  await real.step('hawser.vsix', () => packExtension(join(folder, 'extension'), vsix, folder));
  await makeExtension(join(folder, 'hands'), join(source, 'test', 'hands.ts'));
  const isPictures = args[0] === 'pictures';
  return real.vitest(['--config', 'test/vscode/vitest.config.ts', ...(isPictures ? [] : args)], {
    HAWSER_VSCODE: folder,
    HAWSER_VSIX: vsix,
    // On the PATH of terminals.
    HAWSER_BIN: join(folder, 'bin'),
    ...(isPictures && { HAWSER_PICTURES: '1' }),
  });
}

/**
 * Installs VS Code's server with the Node that it needs. Nothing of it is compiled.
 * @param {import('../test-real.mjs').Real} real
 * @param {string} folder
 */
async function installServer(real, folder) {
  const vscode = join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  const isThere = (/** @type {string[]} */ ...path) => existsSync(join(folder, 'node_modules', ...path));
  if (existsSync(join(vscode, 'extensions', 'node_modules')) && isThere('@vscode', 'vsce')) return;
  await real.install('Node 24', folder, ['--ignore-scripts', `${NODE}@24`]);
  // Its packages ask for that Node.
  const path = dirname(join(folder, 'node_modules', NODE, 'bin', 'node'));
  process.env.PATH = `${path}${delimiter}${process.env.PATH}`;
  const quiet = ['--no-audit', '--no-fund', '--silent', '--ignore-scripts'];
  await real.step(`install ${SERVER}`, async () => {
    const code = await real.npm(folder, ['install', ...quiet, SERVER, VSIX_PACKAGER]);
    if (code !== 0) return code;
    const own = ['install', ...quiet, '--omit=dev'];
    return (await real.npm(vscode, own)) || (await real.npm(join(vscode, 'extensions'), own));
  });
}
