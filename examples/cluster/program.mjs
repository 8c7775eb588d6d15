import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** Where Debian has some of them, which is not on every user's PATH. */
const PATH = `${process.env.PATH ?? ''}:/usr/sbin`;
const DEBIAN_PACKAGES = new Map([
  ['redis-server', 'redis-server'],
  ['haproxy', 'haproxy'],
]);
const KEPT_OUTPUT = 4000;
const STOP_MS = 15_000;
const POLL_MS = 20;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
// However this process ends, short of SIGKILL, it leaves nothing behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A program that can be started again and again. */
export class Program {
  #child;
  #output = '';
  #stopping = false;
  #settings;

  /**
   * @param {object} settings
   * @param {string} settings.name for messages
   * @param {string} settings.command
   * @param {() => readonly string[]} settings.args
   * @param {() => { readonly [name: string]: string }} [settings.env] besides those of this process
   * @param {(output: string) => boolean | Promise<boolean>} settings.isReady asked again and again until it is true
   * @param {(text: string) => void} [settings.onOutput]
   * @param {() => void} [settings.onUnexpectedEnd] it ended without `stop` or `kill`
   */
  constructor(settings) {
    this.#settings = settings;
  }

  get name() {
    return this.#settings.name;
  }

  get pid() {
    return this.isRunning ? this.#child.pid : undefined;
  }

  get isRunning() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What it has written since it was started, or the end of that. */
  get output() {
    return this.#output;
  }

  /** Settles when it is ready. Rejects if it ends before, or cannot be started. */
  async start() {
    const { name, command, args, env = () => ({}), onOutput = () => {}, onUnexpectedEnd = () => {} } = this.#settings;
    this.#output = '';
    this.#stopping = false;
    // In its own process group, so that Ctrl-C reaches only start.mjs, which ends all programs in order.
    const child = spawn(command, args(), {
      env: { ...process.env, PATH, ...env() },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    running.add(child);
    child.once('close', () => running.delete(child));
    const take = (text) => {
      this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
      onOutput(text);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
    let failure;
    child.once('error', (error) => {
      failure = /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT' ? notInstalled(command) : error;
    });
    if (child.pid === undefined) {
      await once(child, 'error');
      throw failure;
    }
    let isReady = false;
    child.once('exit', () => {
      if (isReady && !this.#stopping && this.#child === child) onUnexpectedEnd();
    });
    while (!(await this.#settings.isReady(this.#output))) {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`${name} ended at once (${child.exitCode ?? child.signalCode}):\n${this.#output.trim()}`);
      }
      await delay(POLL_MS);
    }
    isReady = true;
  }

  /** Settles when it has ended; ends it by force if it takes too long. */
  async stop(signal = 'SIGTERM') {
    if (!this.isRunning) return;
    this.#stopping = true;
    const child = this.#child;
    const ended = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Sends a signal and does not wait. */
  signal(signal) {
    if (this.isRunning) this.#child.kill(signal);
  }
}

function notInstalled(command) {
  const debianPackage = DEBIAN_PACKAGES.get(command) ?? command;
  return new Error(`${command} is not installed. On Debian or Ubuntu: sudo apt-get install ${debianPackage}`);
}
