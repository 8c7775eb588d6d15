import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** For a program to end after its terminal is gone. */
const END_TIMEOUT_MS = 5_000;

export interface TmuxOptions {
  /** A folder for its socket; short, because sockets have short names. */
  readonly folder: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly columns?: number;
  readonly rows?: number;
  /** Behind the text, as `#1e1e1e`; programs that ask are told. */
  readonly background?: string;
  /** How long to wait for a text on the screen. */
  readonly timeoutMs?: number;
}

/** Words as a shell takes them, each as it stands. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

/** What a screen should contain, or a test of all of it. */
type Fits = string | RegExp | ((text: string) => boolean);

/** A real terminal: a program runs in it, keys are typed, and its screen is read. */
export class TmuxScreen {
  readonly #server: string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #events: ChildProcess;
  readonly #timeoutMs: number;
  readonly #waiting = new Set<() => void>();

  private constructor(server: string[], env: NodeJS.ProcessEnv, events: ChildProcess, timeoutMs: number) {
    this.#server = server;
    this.#timeoutMs = timeoutMs;
    this.#env = env;
    this.#events = events;
    // In control mode tmux tells of every output of the program.
    events.stdout?.on('data', () => {
      for (const look of [...this.#waiting]) look();
    });
  }

  /** Runs a shell command, such as a `shellLine`; the terminal stays when it has ended, and shows `ended N` with its exit code. */
  static async open(command: string, options: TmuxOptions): Promise<TmuxScreen> {
    const { folder, cwd, columns = 80, rows = 24, background, timeoutMs = 60_000 } = options;
    // Within a tmux another one would not attach.
    const { TMUX: _outer, ...given } = options.env;
    const env = { ...given, TMUX_TMPDIR: folder, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
    const server = ['-u', '-f', '/dev/null', '-L', `s${Math.random().toString(36).slice(2, 8)}`];
    // `cat` keeps the terminal, so that what was left on it can be read.
    const script = `trap : INT; ${command}; echo "ended $?"; exec cat`;
    const size = ['-x', String(columns), '-y', String(rows)];
    const style = background === undefined ? [] : ['set-option', '-g', 'window-style', `bg=${background}`, ';'];
    const session = ['new-session', '-d', '-s', 'main', ...size, '-c', cwd, 'sh', '-c', script];
    await run('tmux', [...server, 'start-server', ';', ...style, ...session], { env });
    const events = spawn('tmux', [...server, '-C', 'attach', '-t', 'main'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    return new TmuxScreen(server, env, events, timeoutMs);
  }

  /** Keys as tmux names them: `a`, `Enter`, `Up`. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', '-t', 'main', ...keys);
  }

  /** As a terminal sends pasted text. */
  async paste(text: string): Promise<void> {
    await this.#tmux('set-buffer', text);
    await this.#tmux('paste-buffer', '-p', '-t', 'main');
  }

  /** Bytes as a terminal sends them, for example of the mouse. */
  async send(text: string): Promise<void> {
    const bytes = [...Buffer.from(text)].map((byte) => byte.toString(16));
    await this.#tmux('send-keys', '-t', 'main', '-H', ...bytes);
  }

  /** A click of the left button at a place counted from 0. */
  async click(row: number, column: number): Promise<void> {
    await this.send(`\x1b[<0;${column + 1};${row + 1}M\x1b[<0;${column + 1};${row + 1}m`);
  }

  /** Lets programs fill the clipboard, which `clipboard` then reads. */
  async allowClipboard(): Promise<void> {
    await this.#tmux('set-option', '-s', 'set-clipboard', 'on');
  }

  async clipboard(): Promise<string> {
    return await this.#tmux('show-buffer');
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-t', 'main', '-x', String(columns), '-y', String(rows));
  }

  async text(): Promise<string> {
    return await this.#tmux('capture-pane', '-p', '-t', 'main');
  }

  /** With its colours, as sequences, and the spaces at the end of rows, which may have colours, too. */
  async colouredText(): Promise<string> {
    return await this.#tmux('capture-pane', '-e', '-N', '-p', '-t', 'main');
  }

  /** What tmux says of the terminal, such as `#{cursor_flag}`. */
  async ask(format: string): Promise<string> {
    return (await this.#tmux('display-message', '-p', '-t', 'main', format)).trim();
  }

  /** Waits until the screen, with its colours as sequences, fits. */
  async showsColoured(fits: Fits): Promise<string> {
    return await this.#waitFor(fits, () => this.colouredText());
  }

  /** Waits until the screen fits, looking whenever something was written to it. */
  async shows(fits: Fits, timeoutMs = this.#timeoutMs): Promise<string> {
    return await this.#waitFor(fits, () => this.text(), timeoutMs);
  }

  async #waitFor(fits: Fits, read: () => Promise<string>, timeoutMs = this.#timeoutMs): Promise<string> {
    const isFit =
      typeof fits === 'function'
        ? fits
        : (text: string) => (fits instanceof RegExp ? fits.test(text) : text.includes(fits));
    let [isLooking, again] = [false, false];
    let last = '';
    let stop = () => {};
    const shown = new Promise<string>((resolve, reject) => {
      const giveUp = setTimeout(() => reject(new Error(`Not shown: ${fits}\n${last}`)), timeoutMs);
      const look = async () => {
        again = true;
        if (isLooking) return;
        isLooking = true;
        while (again) {
          again = false;
          const text = await read().catch(reject);
          if (text === undefined) return;
          last = text;
          if (!isFit(text)) continue;
          // The frame may have been half drawn.
          const whole = await read().catch(reject);
          resolve(whole !== undefined && isFit(whole) ? whole : text);
          return;
        }
        isLooking = false;
      };
      stop = () => {
        clearTimeout(giveUp);
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      void look();
    });
    return await shown.finally(() => stop());
  }

  /** Ends the program, and resolves when it is gone. */
  async close(): Promise<void> {
    const isOver = this.#events.exitCode !== null || this.#events.signalCode !== null;
    const ended = isOver ? undefined : once(this.#events, 'exit');
    const group = Number(await this.ask('#{pane_pid}').catch(() => '0'));
    await this.#tmux('kill-server').catch(() => {});
    await ended;
    if (group > 0) await endGroup(group);
  }

  async #tmux(...args: string[]): Promise<string> {
    return (await run('tmux', [...this.#server, ...args], { env: this.#env })).stdout;
  }
}

/** Waits for the end of a process group whose terminal is gone, and ends it if it goes on. */
async function endGroup(group: number): Promise<void> {
  const deadline = Date.now() + END_TIMEOUT_MS;
  while (isRunning(group)) {
    if (Date.now() > deadline) process.kill(-group, 'SIGKILL');
    await delay(20);
  }
}

function isRunning(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
