// @ts-check
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { run } from './steps.mjs';

/**
 * A command the tests call, or the absolute path of a file they use, and the Debian package that brings it.
 * @typedef {{ command: string, debianPackage: string }} SystemPackage
 */

/**
 * What the tests and the check need beside Node and npm packages.
 * @type {readonly SystemPackage[]}
 */
export const systemPackages = [
  { command: 'nvim', debianPackage: 'neovim' },
  { command: 'emacs', debianPackage: 'emacs-nox' },
  { command: '/usr/lib/emacsen-common/packages/install/elpa-eglot', debianPackage: 'elpa-eglot' },
  { command: '/usr/lib/emacsen-common/packages/install/elpa-flycheck', debianPackage: 'elpa-flycheck' },
  { command: '/usr/lib/emacsen-common/packages/install/elpa-package-lint', debianPackage: 'elpa-package-lint' },
  { command: '/usr/lib/emacsen-common/packages/install/elpa-vterm', debianPackage: 'elpa-vterm' },
  { command: 'vim', debianPackage: 'vim' },
  { command: '/usr/share/vim-ale/plugin/ale.vim', debianPackage: 'vim-ale' },
  { command: 'script', debianPackage: 'bsdutils' },
  { command: 'luacheck', debianPackage: 'lua-check' },
  { command: 'tmux', debianPackage: 'tmux' },
  { command: 'zsh', debianPackage: 'zsh' },
  { command: 'fish', debianPackage: 'fish' },
  { command: 'man', debianPackage: 'man-db' },
  { command: 'chromium', debianPackage: 'chromium' },
  { command: 'openssl', debianPackage: 'openssl' },
  { command: 'redis-server', debianPackage: 'redis-server' },
  { command: '/usr/sbin/haproxy', debianPackage: 'haproxy' },
  { command: 'sbcl', debianPackage: 'sbcl' },
  { command: 'ecl', debianPackage: 'ecl' },
  { command: '/usr/share/common-lisp/source/alexandria/alexandria.asd', debianPackage: 'cl-alexandria' },
  { command: '/usr/share/common-lisp/source/cl-ppcre/cl-ppcre.asd', debianPackage: 'cl-ppcre' },
  { command: '/usr/share/common-lisp/source/fiveam/fiveam.asd', debianPackage: 'cl-fiveam' },
  { command: '/usr/share/common-lisp/source/slime/swank.asd', debianPackage: 'cl-swank' },
];

/**
 * @param {string} command
 * @param {string} path the value of PATH
 */
export function isOnPath(command, path) {
  return path.split(delimiter).some((folder) => isExecutableFile(join(folder, command)));
}

/**
 * @param {readonly SystemPackage[]} table
 * @param {(command: string) => boolean} isPresent
 * @returns {SystemPackage[]}
 */
export function missingPackages(table, isPresent) {
  return table.filter(({ command }) => !isPresent(command));
}

/**
 * The commands that install packages, each as program and arguments.
 * @param {readonly SystemPackage[]} missing
 * @param {'root' | 'sudo'} as
 * @returns {string[][]}
 */
export function installCommands(missing, as) {
  const prefix = as === 'sudo' ? ['sudo', '-n'] : [];
  const aptGet = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
  return [
    [...aptGet, 'update'],
    [...aptGet, 'install', '-y', '--no-install-recommends', ...packageNames(missing)],
  ];
}

/**
 * What a person reads when we may not install.
 * @param {readonly SystemPackage[]} missing
 */
export function missingMessage(missing) {
  return [
    'The tests need commands or files that are missing:',
    ...missing.map(({ command, debianPackage }) => `  ${command} (Debian package ${debianPackage})`),
    'They could not be installed from here. On Debian or Ubuntu:',
    `  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packageNames(missing).join(' ')}`,
  ].join('\n');
}

/**
 * Installs what is missing when we may, otherwise says what is missing.
 * @param {object} world
 * @param {readonly SystemPackage[]} world.table
 * @param {(command: string) => boolean} world.isPresent
 * @param {boolean} world.isRoot
 * @param {(command: string, args: string[]) => Promise<number>} world.run gives the exit code
 * @param {(text: string) => void} world.say
 * @returns {Promise<number>} exit code
 */
export async function ensureSystemPackages({ table, isPresent, isRoot, run, say }) {
  const missing = missingPackages(table, isPresent);
  if (missing.length === 0) return 0;
  const as = isRoot ? 'root' : isPresent('sudo') && (await run('sudo', ['-n', 'true'])) === 0 ? 'sudo' : undefined;
  if (as !== undefined && isPresent('apt-get')) {
    say(`Installing ${packageNames(missing).join(', ')}`);
    for (const [command = '', ...args] of installCommands(missing, as)) {
      if ((await run(command, args)) !== 0) break;
    }
  }
  const stillMissing = missingPackages(missing, isPresent);
  if (stillMissing.length === 0) return 0;
  say(missingMessage(stillMissing));
  return 1;
}

/** This machine, for `ensureSystemPackages`. */
export const thisMachine = {
  table: systemPackages,
  /** @param {string} command */
  isPresent: (command) => (isAbsolute(command) ? existsSync(command) : isOnPath(command, process.env.PATH ?? '')),
  isRoot: process.getuid?.() === 0,
  run,
};

/** @param {readonly SystemPackage[]} missing */
function packageNames(missing) {
  return [...new Set(missing.map(({ debianPackage }) => debianPackage))];
}

/** @param {string} path */
function isExecutableFile(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
