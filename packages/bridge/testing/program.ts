import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Agent, connectAgent } from './agent.ts';
import { type TmuxOptions, TmuxScreen } from './tmux.ts';

/** The built program, as a user runs it. */
export const PROGRAM = fileURLToPath(new URL('../dist/main.cjs', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** PATH without what npm adds to it: the language servers of this repository are not those of a user. */
function systemPath(): string {
  const folders = process.env.PATH?.split(delimiter) ?? [];
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
}

/** A home and a workspace of their own, with the program and its agents in it. Whatever is started there is ended. */
export class Household {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'hw-')));
  readonly workspace = join(this.home, 'work');
  readonly #children: ChildProcess[] = [];
  readonly #agents: Agent[] = [];
  readonly #screens: TmuxScreen[] = [];

  readonly #program: string;

  constructor(program = PROGRAM) {
    this.#program = program;
    mkdirSync(this.workspace);
  }

  /** Environment variables for what is started from now on, besides those of every household. */
  readonly moreEnv: { [name: string]: string } = {};

  /** The id of another user who starts programs from now on; only root can set it. */
  user: number | undefined;

  get env(): { readonly [name: string]: string | undefined } {
    return { PATH: systemPath(), HOME: this.home, TMPDIR: this.home, ...this.moreEnv };
  }

  start(args: readonly string[], options: { readonly cwd?: string } = {}): ChildProcess {
    return this.startNode([this.#program, ...args], options);
  }

  /** Another program than ours. */
  startNode(args: readonly string[], { cwd = this.workspace }: { readonly cwd?: string } = {}): ChildProcess {
    const user = this.user === undefined ? {} : { uid: this.user, gid: this.user };
    const child = spawn(process.execPath, args, { cwd, env: this.env, ...user });
    this.#children.push(child);
    return child;
  }

  /** Writes a file of the workspace and returns its path. */
  file(name: string, text: string): string {
    const path = join(this.workspace, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a shell command in a terminal. */
  async screen(command: string, options: Partial<TmuxOptions> = {}): Promise<TmuxScreen> {
    const place = { folder: this.home, env: this.env, cwd: this.workspace };
    const screen = await TmuxScreen.open(command, { ...place, ...options });
    this.#screens.push(screen);
    return screen;
  }

  /** Runs to its end. */
  async run(...args: string[]): Promise<Outcome> {
    return this.runIn(this.workspace, ...args);
  }

  async runIn(cwd: string, ...args: string[]): Promise<Outcome> {
    const child = this.start(args, { cwd });
    let [out, err] = ['', ''];
    child.stdout?.on('data', (data) => {
      out += data;
    });
    child.stderr?.on('data', (data) => {
      err += data;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  }

  /** A bridge without a view, once its adapters are open. */
  async serve(...args: string[]): Promise<ServedBridge> {
    const child = this.start(['serve', '--headless', ...args]);
    let log = '';
    const looks = new Set<() => void>();
    child.stderr?.on('data', (data) => {
      log += data;
      for (const look of [...looks]) look();
    });
    const logs = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!log.includes(text)) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
      });
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
      return { child, line, logs };
    return { child, line: '', logs };
  }

  /** The line that a bridge would print for one of its adapters if it were the first. Without a bridge, the only one. */
  async lineOf(agent: string, bridge?: ServedBridge): Promise<string> {
    const choice = bridge === undefined ? [] : ['--bridge', String(bridge.child.pid)];
    const { agents } = JSON.parse((await this.run('status', '--json', ...choice)).out);
    const { endpoints, discoveryFiles } = agents.find(({ name }: { name: string }) => name === agent);
    return `hawser: listening on ${endpoints[0]} lock ${discoveryFiles[0]}`;
  }

  /** An agent that has found the bridge by its lock, and said who it is. */
  async agent(line: string): Promise<Agent> {
    const [, url = '', lock = ''] = /listening on (\S+) lock (.+)$/.exec(line) ?? [];
    const agent = await connectAgent(url, JSON.parse(readFileSync(lock, 'utf8')).authToken);
    this.#agents.push(agent);
    await agent.initialize();
    return agent;
  }

  async dispose(): Promise<void> {
    for (const screen of this.#screens) await screen.close();
    for (const agent of this.#agents) agent.close();
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** A household that goes away with the test. */
export function temporaryHousehold(program = PROGRAM): Household {
  const household = new Household(program);
  onTestFinished(() => household.dispose());
  return household;
}

export interface ServedBridge {
  readonly child: ChildProcess;
  /** The line that it printed for its first adapter. */
  readonly line: string;
  /** Waits until this is in its log. */
  logs(text: string): Promise<void>;
}

/** Asks for a change, in Claude Code's words. */
export function openDiff(agent: Agent, path: string, text: string, tabName = path): Promise<string[]> {
  return agent.call('openDiff', {
    old_file_path: path,
    new_file_path: path,
    new_file_contents: text,
    tab_name: tabName,
  });
}
