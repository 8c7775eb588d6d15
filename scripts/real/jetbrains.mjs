// @ts-check
// The JetBrains plugin in a real IntelliJ platform, built from Debian's sources at first (some minutes): the conformance kit without
// a screen and on a virtual one, and there what a user does. `jetbrains headless` or `jetbrains display` runs a part; further words
// choose files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPlugin, packPlugin } from '../../editors/jetbrains/build.mjs';
import { buildPlatform, ideArguments } from '../../editors/jetbrains/platform/build.mjs';
import { root } from '../prepare.mjs';
import { ensureSystemPackages, thisMachine } from '../system-packages.mjs';

/** Where the platform is built, once. */
export const platformFolder = join(root, 'node_modules', '.cache', 'jetbrains', 'platform');
const CONFIG = ['--config', 'test/jetbrains/vitest.config.ts'];
const packages = [
  { command: 'javac', debianPackage: 'openjdk-17-jdk' },
  { command: 'dpkg-source', debianPackage: 'dpkg-dev' },
  { command: 'patch', debianPackage: 'patch' },
  { command: 'Xvfb', debianPackage: 'xvfb' },
];

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  await real.build();
  await preparePlatform(real);
  const [part, ...words] = args;
  let failed = 0;
  for (const screen of /** @type {const} */ (['headless', 'display'])) {
    if (part !== undefined && part !== screen) continue;
    const files = words.length > 0 ? words : screen === 'headless' ? ['kit'] : ['kit', 'visible', 'zip'];
    failed += await inIde(screen, (variables) => real.vitest([...CONFIG, ...files], variables));
  }
  return failed === 0 ? 0 : 1;
}

/** @param {Pick<import('../test-real.mjs').Real, 'step' | 'say'>} real */
export async function preparePlatform(real) {
  await real.step('system packages', () => ensureSystemPackages({ ...thisMachine, table: packages, say: real.say }));
  await real.step('IntelliJ platform', async () => {
    buildPlatform(platformFolder, real.say);
    return 0;
  });
}

/**
 * Starts an IDE with the plugin, and ends it.
 * @param {'headless' | 'display'} screen
 * @param {(variables: Record<string, string>) => Promise<number>} run
 */
async function inIde(screen, run) {
  const sandbox = mkdtempSync(join(tmpdir(), 'hawser-ide-'));
  const display = screen === 'display' ? await startDisplay() : undefined;
  buildPlugin({ platform: platformFolder, out: join(sandbox, 'plugins'), kind: 'test' });
  const zip = join(sandbox, 'hawser-jetbrains.zip');
  packPlugin({ platform: platformFolder, out: join(sandbox, 'product'), file: zip });
  const portFile = join(sandbox, 'port');
  const command = ['hawsertest', portFile];
  const java = ideArguments({
    platform: platformFolder,
    sandbox,
    screen,
    command,
    // The platform's own errors would hide a part of the pictures.
    properties: { 'hawser.manual': 'true', 'idea.fatal.error.notification': 'disabled' },
  });
  const onDisplay = display && { DISPLAY: display.name };
  const env = { ...process.env, LC_ALL: 'C.UTF-8', ...onDisplay };
  const ide = spawn('java', java, { env, stdio: ['ignore', 'ignore', 'ignore'] });
  try {
    const port = await portIn(sandbox, portFile, ide);
    const failed = await run({
      HAWSER_IDE_PORT: port,
      HAWSER_IDE_SCREEN: screen,
      HAWSER_IDE_PLATFORM: platformFolder,
      HAWSER_IDE_ZIP: zip,
      ...onDisplay,
    });
    return failed + errorsOfPlugin(join(sandbox, 'log', 'idea.log'));
  } finally {
    if (ide.exitCode === null) {
      ide.kill('SIGKILL');
      await once(ide, 'exit');
    }
    display?.stop();
    rmSync(sandbox, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** How many errors in the log of the IDE come from the plugin; prints them. @param {string} file */
function errorsOfPlugin(file) {
  const entries = readFileSync(file, 'utf8').split(/^(?=\d{4}-\d\d-\d\d )/m);
  const own = entries.filter((entry) => entry.includes(' ERROR ') && /at dev\.hawser\.jetbrains\.(?!Test)/.test(entry));
  for (const entry of own) console.error(entry);
  return own.length;
}

/**
 * @param {string} folder
 * @param {string} file
 * @param {import('node:child_process').ChildProcess} ide
 * @returns {Promise<string>}
 */
function portIn(folder, file, ide) {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve(readFileSync(file, 'utf8'));
    };
    const watcher = watch(folder, look);
    ide.once('exit', (code) => {
      watcher.close();
      reject(new Error(`The IDE ended with ${code}; its log is in ${join(folder, 'log')}`));
    });
    look();
  });
}

/** A virtual screen under a number that is free. */
async function startDisplay() {
  const server = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [number] = await once(server.stdout, 'data');
  return { name: `:${String(number).trim()}`, stop: () => server.kill() };
}
