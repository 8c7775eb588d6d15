// @ts-check
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
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
  return {
    say,
    /**
     * @param {string} name
     * @param {() => Promise<number>} step gives an exit code
     */
    async step(name, step) {
      say(`\n▶ ${name}`);
      const start = performance.now();
      const exitCode = await step();
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      say(`${exitCode === 0 ? '✔' : '✘'} ${name} (${seconds} s)`);
      if (exitCode !== 0) throw new StepFailed(name, exitCode);
    },
    /**
     * @param {string} cwd
     * @param {string[]} args
     */
    npm(cwd, args) {
      const [command, prefix] = npmCommand(process.env);
      return run(command, [...prefix, ...args], {
        cwd,
        stdio: ['ignore', stream.fd, stream.fd],
        shell: command === 'npm' && process.platform === 'win32',
      });
    },
  };
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
