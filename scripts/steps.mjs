// @ts-check
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { isatty } from 'node:tty';

/**
 * Runs a command to its end and gives its exit code, 128 + n when signal n ended it. SIGINT and SIGTERM are passed on.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<number>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    const stopForwarding = forwardSignals(child);
    child.once('error', (error) => {
      stopForwarding();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      stopForwarding();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

/**
 * How to call the npm that runs us; the one on PATH otherwise.
 * @param {NodeJS.ProcessEnv} env
 * @returns {[command: string, args: string[]]}
 */
export function npmCommand(env) {
  const npm = env.npm_execpath;
  if (npm !== undefined && basename(npm) === 'npm-cli.js') return [process.execPath, [npm]];
  return ['npm', []];
}

/** A step of a script failed; its own output has said why. */
export class StepFailed extends Error {
  /**
   * @param {string} step
   * @param {number} exitCode
   */
  constructor(step, exitCode) {
    super(`${step} failed with exit code ${exitCode}`);
    this.name = 'StepFailed';
    this.step = step;
    this.exitCode = exitCode;
  }
}

/**
 * Announces steps, times them and stops at the first that fails. Its words and the output of the steps go to `stream`.
 * @param {{ fd: number, write(text: string): unknown }} stream
 */
export function createSteps(stream) {
  /** @param {string} text */
  const say = (text) => stream.write(`${text}\n`);

  /**
   * @param {string} name
   * @param {() => Promise<number>} work gives an exit code
   */
  async function step(name, work) {
    say(`\n▶ ${name}`);
    const start = performance.now();
    const exitCode = await work();
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    say(`${exitCode === 0 ? '✔' : '✘'} ${name} (${seconds} s)`);
    if (exitCode !== 0) throw new StepFailed(name, exitCode);
  }

  /**
   * @param {string} cwd
   * @param {string[]} args
   */
  function npm(cwd, args) {
    const [command, prefix] = npmCommand(process.env);
    return run(command, [...prefix, ...args], {
      cwd,
      stdio: ['ignore', stream.fd, stream.fd],
      shell: command === 'npm' && process.platform === 'win32',
    });
  }

  return {
    say,
    step,
    npm,
    /** @param {string} root */
    build: (root) => step('npm run build', () => npm(root, ['run', '--silent', 'build'])),
    /**
     * Installs packages from npm into a folder of its own.
     * @param {string} name
     * @param {string} folder
     * @param {readonly string[]} packages and further arguments
     */
    install(name, folder, packages) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', ...packages];
      return step(`install ${name}`, () => npm(folder, args));
    },
  };
}

/** @typedef {ReturnType<typeof createSteps>} Steps */

/**
 * The work of a script, which may give its exit code. A step that fails ends it.
 * @param {Parameters<typeof createSteps>[0]} stream
 * @param {(steps: Steps) => Promise<number | void>} work
 */
export async function runSteps(stream, work) {
  const steps = createSteps(stream);
  try {
    process.exitCode = (await work(steps)) ?? 0;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    steps.say(error.message);
    process.exitCode = error.exitCode;
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {() => void}
 */
function forwardSignals(child) {
  /** @type {Set<NodeJS.Signals>} */
  const seen = new Set();
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    // npm repeats to us what the terminal has sent to the whole group: the job must see one Ctrl-C as one.
    const terminalSentIt = signal === 'SIGINT' && isatty(0);
    if (!seen.has(signal) && !terminalSentIt) child.kill(signal);
    seen.add(signal);
  };
  process.on('SIGINT', forward);
  process.on('SIGTERM', forward);
  return () => {
    process.off('SIGINT', forward);
    process.off('SIGTERM', forward);
  };
}
