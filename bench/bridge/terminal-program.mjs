import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { processorSeconds, residentBytes } from '../load/processes.mjs';
import { program } from './build.mjs';
import { openAgent } from './stage.mjs';

const GIVE_UP_MS = 10_000;

/** `hawser serve` in a terminal of 200 × 50, which `script` provides. */
export class TerminalProgram {
  #home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-bench-')));
  #waiting = new Set();
  #agent;
  output = '';

  /** @type {import('node:child_process').ChildProcess | undefined} */
  #script;
  pid = 0;
  /** Of the processor, from the moment that it listened. */
  firstFrameMs = 0;

  static async open() {
    const opened = new TerminalProgram();
    await opened.#start();
    return opened;
  }

  get workspace() {
    return join(this.#home, 'work');
  }

  get env() {
    return { PATH: process.env.PATH, HOME: this.#home, TMPDIR: this.#home };
  }

  async #start() {
    mkdirSync(this.workspace);
    const command = `stty cols 200 rows 50; echo $$ > '${this.#home}/pid'; exec '${process.execPath}' '${program}' serve`;
    const env = { ...this.env, TERM: 'xterm-256color', SHELL: '/bin/sh' };
    // `script` gives the command a terminal, writes what it prints to stdout, and types what it reads.
    const args = ['--quiet', '--flush', '--command', command, '/dev/null'];
    const script = spawn('script', args, { cwd: this.workspace, env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#script = script;
    script.stdout.setEncoding('utf8').on('data', (text) => {
      this.output += text;
      for (const look of [...this.#waiting]) look();
    });
    await this.shows('listening on');
    this.pid = Number(readFileSync(join(this.#home, 'pid'), 'utf8'));
    // All that it did before it listened is not counted, as far as the clock of the kernel goes.
    const before = this.processorMs;
    await this.shows('Nothing waits');
    this.firstFrameMs = this.processorMs - before;
  }

  get processorMs() {
    return processorSeconds(this) * 1000;
  }

  /** The same, of its main thread, to a part of a millisecond. */
  get threadMs() {
    return Number(readFileSync(`/proc/${this.pid}/task/${this.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  }

  get residentMiB() {
    return residentBytes(this) / 2 ** 20;
  }

  /**
   * Resolves when this has been printed since `output` was last cleared.
   * @returns {Promise<void>}
   */
  shows(text) {
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => reject(new Error(`Not shown: ${text}\n${this.output.slice(-2000)}`)), GIVE_UP_MS);
      const look = () => {
        if (!this.output.includes(text)) return;
        clearTimeout(giveUp);
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Milliseconds from a key to the first output that it causes, and how much of it the program's main thread used. */
  async key(key) {
    this.output = '';
    const [began, before] = [performance.now(), this.threadMs];
    this.#script?.stdin?.write(key);
    await this.shows('\x1b[').catch((error) => {
      throw new Error(`The key ${JSON.stringify(key)} changed nothing`, { cause: error });
    });
    const times = { took: performance.now() - began, used: this.threadMs - before };
    // Let it finish before the next one.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return times;
  }

  /** An agent that has found it. */
  async agent() {
    const lockFolder = join(this.#home, '.claude', 'ide');
    const [lock] = readdirSync(lockFolder).filter((each) => each.endsWith('.lock'));
    const { authToken } = JSON.parse(readFileSync(join(lockFolder, lock), 'utf8'));
    this.#agent ??= await openAgent(`ws://127.0.0.1:${lock.replace('.lock', '')}`, authToken);
    return this.#agent;
  }

  /** Runs `hawser` with these arguments to its end; resolves to what it printed. */
  async command(...args) {
    const child = spawn(process.execPath, [program, ...args], { cwd: this.workspace, env: this.env });
    return await text(child.stdout);
  }

  /** An agent proposes this; resolves when it is on the screen. */
  async propose(name, oldText, newText) {
    const agent = await this.agent();
    const path = join(this.workspace, name);
    if (oldText !== undefined) writeFileSync(path, oldText);
    const args = { old_file_path: path, new_file_path: path, new_file_contents: newText, tab_name: name };
    this.output = '';
    void agent.request('diff', 'tools/call', { name: 'openDiff', arguments: args });
    await this.shows('hunk 1 of');
  }

  async close() {
    this.#agent?.socket.terminate();
    process.kill(this.pid, 'SIGKILL');
    await new Promise((resolve) => this.#script?.once('exit', resolve));
    rmSync(this.#home, { recursive: true, force: true });
  }
}
