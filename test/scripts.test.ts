import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';
import { installArguments, installReason, nodeVersionProblem, oldestNode } from '../scripts/prepare.mjs';
import { skipReasons } from '../scripts/skip-reasons.mjs';
import { createSteps, npmCommand, run } from '../scripts/steps.mjs';
import { ensureSystemPackages, isOnPath, missingPackages, systemPackages } from '../scripts/system-packages.mjs';
import { closingLine } from '../scripts/test-counts.mjs';

describe('the Node version', () => {
  test.each(['20.19.0', '20.20.2', '21.0.0', '22.0.0', '100.1.0'])('%s is new enough', (version) => {
    expect(nodeVersionProblem(version)).toBeUndefined();
  });

  test.each(['20.18.9', '18.20.0', '20.9.0', '9.99.0'])('%s is refused, with what is needed', (version) => {
    expect(nodeVersionProblem(version)).toBe(
      `Hawser needs Node 20.19 or newer, and this is Node ${version}. See https://nodejs.org/en/download`,
    );
  });

  test('the oldest one is the one in package.json', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(engines.node).toBe(`>=${oldestNode}`);
  });
});

describe('an install', () => {
  const lock = {
    packages: {
      '': {},
      'packages/mcp': { version: '0.1.0' },
      'node_modules/@hawser/mcp': {},
      'node_modules/ws': { version: '8.22.2' },
      'node_modules/fsevents': { version: '2.3.3', optional: true },
      'packages/mcp/node_modules/ajv': { version: '8.20.0' },
    },
  };
  const installed = {
    packages: {
      'node_modules/@hawser/mcp': {},
      'node_modules/ws': { version: '8.22.2' },
      'packages/mcp/node_modules/ajv': { version: '8.20.0' },
    },
  };

  test('is needed when node_modules is missing', () => {
    expect(installReason(lock, undefined)).toBe('node_modules is missing');
    expect(installReason(undefined, undefined)).toBe('node_modules is missing');
  });

  test('is not needed when all of the lock file is there but optional packages of other platforms', () => {
    expect(installReason(lock, installed)).toBeUndefined();
  });

  test('is not needed when there is no lock file to differ from', () => {
    expect(installReason(undefined, installed)).toBeUndefined();
  });

  test('is needed when a package is missing', () => {
    const { 'node_modules/ws': _, ...packages } = installed.packages;
    expect(installReason(lock, { packages })).toBe('node_modules/ws is missing');
  });

  test('is needed when a package of a workspace has another version', () => {
    const packages = { ...installed.packages, 'packages/mcp/node_modules/ajv': { version: '8.0.0' } };
    expect(installReason(lock, { packages })).toBe(
      'packages/mcp/node_modules/ajv is 8.0.0, package-lock.json wants 8.20.0',
    );
  });

  test('installs exactly what the lock file says, dev dependencies included', () => {
    expect(installArguments).toEqual(['ci', '--include=dev']);
  });

  test('is done by the npm that runs the script, else by the one on PATH', () => {
    expect(npmCommand({ npm_execpath: '/opt/npm/bin/npm-cli.js' })).toEqual([
      process.execPath,
      ['/opt/npm/bin/npm-cli.js'],
    ]);
    expect(npmCommand({ npm_execpath: '/opt/yarn/yarn.js' })).toEqual(['npm', []]);
    expect(npmCommand({})).toEqual(['npm', []]);
  });
});

describe('system packages', () => {
  const table = [
    { command: 'sbcl', debianPackage: 'sbcl' },
    { command: 'nvim', debianPackage: 'neovim' },
  ];
  const update = 'env DEBIAN_FRONTEND=noninteractive apt-get update';
  const install = 'env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends neovim';
  const howToInstall = [
    'The tests need commands or files that are missing:',
    '  nvim (Debian package neovim)',
    'They could not be installed from here. On Debian or Ubuntu:',
    '  sudo apt-get update && sudo apt-get install -y --no-install-recommends neovim',
  ].join('\n');

  test('a command is on PATH when a folder there has an executable file of that name', () => {
    const folder = temporaryFolder();
    for (const [name, mode] of [
      ['runs', 0o755],
      ['plain', 0o644],
    ] as const) {
      writeFileSync(join(folder, name), '');
      chmodSync(join(folder, name), mode);
    }
    mkdirSync(join(folder, 'folder'));
    const path = ['/nowhere', '', folder].join(delimiter);
    const found = ['runs', 'plain', 'folder', 'absent'].filter((command) => isOnPath(command, path));
    expect(found).toEqual(['runs']);
    expect(isOnPath('runs', '')).toBe(false);
  });

  test('those whose command is not there are missing', () => {
    expect(missingPackages(table, (command) => command === 'sbcl')).toEqual([
      { command: 'nvim', debianPackage: 'neovim' },
    ]);
  });

  test('the table names each command once', () => {
    expect(new Set(systemPackages.map(({ command }) => command)).size).toBe(systemPackages.length);
  });

  test('nothing runs when nothing is missing', async () => {
    const machine = fakeMachine({ present: ['sbcl', 'nvim', 'apt-get'], isRoot: true });
    expect(await ensureSystemPackages({ table, ...machine })).toBe(0);
    expect(machine.log).toEqual([]);
  });

  test('root installs what is missing and no more', async () => {
    const machine = fakeMachine({ present: ['sbcl', 'apt-get'], isRoot: true });
    expect(await ensureSystemPackages({ table, ...machine })).toBe(0);
    expect(machine.log).toEqual(['Installing neovim', `$ ${update}`, `$ ${install}`]);
  });

  test('a person with passwordless sudo installs with it', async () => {
    const machine = fakeMachine({ present: ['sbcl', 'apt-get', 'sudo'], isRoot: false });
    expect(await ensureSystemPackages({ table, ...machine })).toBe(0);
    expect(machine.log).toEqual(['$ sudo -n true', 'Installing neovim', `$ sudo -n ${update}`, `$ sudo -n ${install}`]);
  });

  test('who may not install is told what is missing and the command for it', async () => {
    const machine = fakeMachine({ present: ['sbcl', 'apt-get', 'sudo'], isRoot: false, fails: ['sudo -n true'] });
    expect(await ensureSystemPackages({ table, ...machine })).toBe(1);
    expect(machine.log).toEqual(['$ sudo -n true', howToInstall]);
  });

  test('who has neither sudo nor apt-get is told the same', async () => {
    for (const world of [
      { present: ['sbcl', 'apt-get'], isRoot: false },
      { present: ['sbcl'], isRoot: true },
    ]) {
      const machine = fakeMachine(world);
      expect(await ensureSystemPackages({ table, ...machine })).toBe(1);
      expect(machine.log).toEqual([howToInstall]);
    }
  });

  test('an install that fails is told as missing', async () => {
    const machine = fakeMachine({ present: ['sbcl', 'apt-get'], isRoot: true, fails: [update] });
    expect(await ensureSystemPackages({ table, ...machine })).toBe(1);
    expect(machine.log).toEqual(['Installing neovim', `$ ${update}`, howToInstall]);
  });

  test('an install that succeeds without bringing the command fails', async () => {
    const machine = fakeMachine({ present: ['sbcl', 'apt-get'], isRoot: true, installs: [] });
    expect(await ensureSystemPackages({ table, ...machine })).toBe(1);
    expect(machine.log.at(-1)).toBe(howToInstall);
  });

  /** A machine where an install brings `installs`. */
  function fakeMachine(world: { present: string[]; isRoot: boolean; fails?: string[]; installs?: string[] }) {
    const present = new Set(world.present);
    const log: string[] = [];
    return {
      log,
      isRoot: world.isRoot,
      isPresent: (command: string) => present.has(command),
      say: (text: string) => void log.push(text),
      run: async (command: string, args: string[]) => {
        const line = [command, ...args].join(' ');
        log.push(`$ ${line}`);
        if (world.fails?.includes(line)) return 100;
        if (args.includes('install')) for (const name of world.installs ?? ['nvim']) present.add(name);
        return 0;
      },
    };
  }
});

describe('a step', () => {
  test('gives the exit code of its command', async () => {
    expect(await run(process.execPath, ['-e', 'process.exit(7)'])).toBe(7);
  });

  test('gives 128 + n for a command that signal n ended', async () => {
    expect(await run(process.execPath, ['-e', "process.kill(process.pid, 'SIGTERM')"])).toBe(143);
  });

  test('rejects when its command cannot be started', async () => {
    await expect(run('/nowhere/no-such-command', [])).rejects.toThrow('ENOENT');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'hands %s on to its command once and waits for it to end',
    async (signal) => {
      const job = `
      let count = 0;
      process.on('${signal}', () => { count += 1; console.log('got ${signal}'); });
      process.stdin.on('end', () => process.exit(40 + count)).resume();
      console.log('ready');`;
      const runner = `
      import { run } from ${JSON.stringify(new URL('../scripts/steps.mjs', import.meta.url).href)};
      process.exitCode = await run(process.execPath, ['-e', ${JSON.stringify(job)}]);`;
      const script = spawn(process.execPath, ['--input-type=module', '-e', runner], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const exit = once(script, 'exit');
      const lines = createInterface({ input: script.stdout })[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe('ready');
      script.kill(signal);
      expect((await lines.next()).value).toBe(`got ${signal}`);
      script.kill(signal);
      script.stdin.end();
      expect(await exit).toEqual([41, null]);
    },
  );

  test('that fails is named with its exit code, and its time is told', async () => {
    const written: string[] = [];
    const stream = { fd: 1, write: (text: string) => written.push(text) > 0 };
    const steps = createSteps(stream);
    await steps.step('first', async () => 0);
    await expect(steps.step('second', async () => 3)).rejects.toMatchObject({
      message: 'second failed with exit code 3',
      exitCode: 3,
    });
    expect(written.join('')).toMatch(/^\n▶ first\n✔ first \(\d+\.\d s\)\n\n▶ second\n✘ second \(\d+\.\d s\)\n$/);
  });
});

describe('the closing line', () => {
  const passed = { status: 'passed', assertionResults: [{ status: 'passed' }] };
  const report = { numPassedTests: 12, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [passed] };

  test('counts what passed and failed', () => {
    expect(closingLine(report, 0)).toBe('12 passed, 0 failed');
    const failed = { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'failed' }] };
    expect(closingLine({ ...report, numFailedTests: 2, testResults: [passed, failed] }, 1)).toBe('12 passed, 2 failed');
  });

  test('counts skipped tests and those yet to be written together', () => {
    expect(closingLine({ ...report, numPendingTests: 2, numTodoTests: 1 }, 0)).toBe('12 passed, 0 failed, 3 skipped');
  });

  test('counts a file that could not be loaded as a failure', () => {
    const broken = { status: 'failed', assertionResults: [] };
    expect(closingLine({ ...report, testResults: [passed, broken, broken] }, 1)).toBe('12 passed, 2 failed');
  });

  test('never says that nothing failed when the run did', () => {
    expect(closingLine(report, 1)).toBe('12 passed, 1 failed');
    expect(closingLine(undefined, 1)).toBe('0 passed, 1 failed');
  });
});

test('npm test says why tests were skipped, each reason once', () => {
  const note = 'it has no profiler';
  const skipped = [
    { name: 'a profile', note },
    { name: 'lists roots (cannot: no such request)', note: undefined },
    { name: 'another profile', note },
    { name: 'of another user (needs root)', note: undefined },
  ];
  expect(skipReasons(skipped)).toEqual([
    '  2 × it has no profiler',
    '  1 × no such request',
    '  1 × of another user (needs root)',
  ]);
});
