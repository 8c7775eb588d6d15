import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Status } from '../../packages/bridge/src/control/calls.ts';
import { findBridges } from '../../packages/bridge/src/control/find.ts';
import { repository } from '../../packages/bridge/testing/neovim/neovims.ts';
import { Household, PROGRAM } from '../../packages/bridge/testing/program.ts';
import { shellLine, TmuxScreen } from '../../packages/bridge/testing/tmux.ts';
import { install } from './install.ts';
import { TEXT } from './lines.ts';
import type { RealAgent, ScreenStep, Typed } from './real-agent.ts';
import { ScriptedModel } from './scripted-model.ts';
import { shapeOf } from './sent-messages.ts';

/** Agents take long to start, more so on a busy machine. */
const TIMEOUT_MS = 90_000;
const END_TIMEOUT_MS = 20_000;
const RETRY_MS = 4_000;

export interface AgentOptions {
  readonly mcpServer?: 'none' | 'configured';
  /** Turns its gate on, with these options. */
  readonly gate?: readonly string[];
}

/** A home and a workspace with one real agent, the scripted model, and a bridge, each in a terminal of its own. */
export class AgentStage {
  readonly model: ScriptedModel;
  /** The shapes of the messages that the agent has sent to the bridge. */
  readonly sent = new Set<string>();
  readonly #household = new Household();
  readonly #agent: RealAgent;
  readonly #program: string;
  readonly #screens: TmuxScreen[] = [];
  #agentScreen: TmuxScreen | undefined;

  private constructor(agent: RealAgent, program: string, model: ScriptedModel) {
    this.#agent = agent;
    this.#program = program;
    this.model = model;
    const { workspace } = this.#household;
    // Some agents connect only to a bridge that serves the root of their repository.
    execFileSync('git', ['init', '--quiet', workspace]);
    writeFileSync(this.path, TEXT);
  }

  /** Of an agent that is installed, or it takes long. */
  static async open(agent: RealAgent): Promise<AgentStage> {
    return new AgentStage(agent, await install(agent), await ScriptedModel.open());
  }

  /** The file that is selected in, mentioned and edited. */
  get path(): string {
    return join(this.#household.workspace, 'a.txt');
  }

  fileText(): string {
    return readFileSync(this.path, 'utf8');
  }

  /** The `hawser` command, run to its end. */
  async hawser(...args: string[]) {
    return this.#household.run(...args);
  }

  /** The bridge with its view. */
  async startBridge(): Promise<TmuxScreen> {
    const view = await this.#screen([process.execPath, PROGRAM]);
    await this.#status(() => true);
    await this.#watchMessages();
    return view;
  }

  async startReview(): Promise<TmuxScreen> {
    const view = await this.#screen([process.execPath, PROGRAM, 'review']);
    await this.#status(({ reviewers }) => reviewers.length > 0);
    return view;
  }

  /** Neovim with the plugin and the file. */
  async startNeovim(): Promise<TmuxScreen> {
    const setup = `lua require("hawser").setup { node = [[${process.execPath}]] }`;
    const options = ['--clean', '--cmd', `set runtimepath^=${repository}`, '--cmd', setup, '-c', 'HawserStart'];
    const neovim = await this.#screen(['nvim', ...options, 'a.txt']);
    await neovim.shows('twelve');
    await this.#status(() => true);
    await this.#watchMessages();
    return neovim;
  }

  /** An editor with a plugin that starts the bridge. */
  async startEditor(command: readonly string[]): Promise<TmuxScreen> {
    const editor = await this.#screen(command);
    await this.#status(() => true);
    return editor;
  }

  /** The agent, once it is connected and takes a prompt. */
  async startAgent({ mcpServer = 'none', gate }: AgentOptions = {}): Promise<TmuxScreen> {
    const { home, workspace } = this.#household;
    const { args, env } = this.#agent.start({ home, workspace, modelUrl: this.model.url });
    const mcp = mcpServer === 'configured' ? this.#agent.mcp : undefined;
    if (mcp !== undefined) await this.#configureMcpServer();
    if (gate !== undefined) await this.#succeed('gate', 'on', this.#agent.name, '--yes', ...gate);
    // What it wants from other machines is refused by the model's server, if it respects the variable.
    const proxy = { HTTPS_PROXY: this.model.url, NO_PROXY: 'localhost,127.0.0.1' };
    const screen = await this.#screen([this.#program, ...args, ...(mcp?.args ?? [])], { ...proxy, ...env });
    this.#agentScreen = screen;
    for (const step of mcp?.steps ?? []) await take(step, screen);
    await screen.shows(this.#agent.prompt);
    await this.connected(this.#agent.connect);
    return screen;
  }

  /** Waits until the agent is connected, after its user has typed what it needs. */
  async connected(typed?: Typed): Promise<void> {
    if (typed !== undefined) return this.#command(typed);
    if (this.#agent.connectsPerPrompt) return;
    await this.#status((status) => isReady(status, this.#agent.adapter));
  }

  /** Sends a prompt. A key that arrives while an agent draws its screen can be lost, so Enter is repeated. */
  async prompt(text: string): Promise<void> {
    const screen = this.#running();
    const asked = this.model.asked(this.model.received.length + 1);
    await screen.press('-l', text);
    await screen.shows(text);
    await until(asked, () => screen.press('Enter'));
  }

  /** Gives a command, again if the agent has not offered or taken it. */
  async #command({ command, afterMs = 0, offered, shows }: Typed): Promise<void> {
    const screen = this.#running();
    await delay(afterMs);
    await until(screen.shows(shows), async () => {
      await screen.press('C-u');
      await screen.press('-l', command);
      const isOffered = screen.shows(offered, RETRY_MS).then(
        () => true,
        () => false,
      );
      if (await isOffered) await screen.press('Enter');
    });
  }

  /** The connection ends with the bridge. */
  async #watchMessages(): Promise<void> {
    const { home } = this.#household;
    const { bridges } = await findBridges({
      stateFolder: join(home, '.local', 'state', 'hawser'),
      temporaryFolder: home,
    });
    const [{ client } = { client: undefined }] = bridges;
    await client?.watchTraffic(({ entries }) => {
      for (const { adapter, direction, message } of entries) {
        const shape = adapter === this.#agent.adapter && direction === 'received' ? shapeOf(message) : undefined;
        if (shape !== undefined) this.sent.add(shape);
      }
    });
  }

  async #configureMcpServer(): Promise<void> {
    await this.#succeed('connect', this.#agent.name, '--write');
  }

  async #succeed(...args: string[]): Promise<void> {
    const { code, err } = await this.hawser(...args);
    if (code !== 0) throw new Error(err);
  }

  #running(): TmuxScreen {
    if (this.#agentScreen === undefined) throw new Error('The agent was not started.');
    return this.#agentScreen;
  }

  /** Restarts the bridge that Neovim has started. */
  async restartBridge(neovim: TmuxScreen): Promise<void> {
    let before: number | undefined;
    await this.#status(({ pid }) => {
      before = pid;
      return true;
    });
    await neovim.press(':HawserRestart', 'Enter');
    await this.#status(({ pid }) => pid !== before);
    await this.#watchMessages();
  }

  /** Waits until agents see this selection. Lines count from 0, both included. */
  async shared({ first, last }: { readonly first: number; readonly last: number }): Promise<void> {
    await this.#status(({ shared }) => shared.kind === 'selection' && shared.first === first && shared.last === last);
  }

  /** Accepts the one open proposal, as a script does. */
  async acceptProposal(): Promise<void> {
    await this.decide('--accept');
  }

  /** Decides the one open proposal, as a script does. */
  async decide(option: string, ...more: string[]): Promise<void> {
    await this.proposals(1);
    const { out } = await this.hawser('review', '--list', '--json');
    const [{ id }] = JSON.parse(out);
    await this.#succeed('review', option, id, ...more);
  }

  async killBridge(): Promise<void> {
    await this.#status(({ pid }) => process.kill(pid, 'SIGKILL'));
  }

  /** Waits until this many proposals are open. */
  async proposals(count: number): Promise<void> {
    await this.#status(({ proposals }) => proposals === count);
  }

  async close(): Promise<void> {
    await this.endAgent();
    await this.hawser('stop');
    for (const screen of this.#screens) await screen.close();
    await this.model.close();
    await this.#household.dispose();
  }

  /** It outlives its terminal, and writes to its home until its end. */
  async endAgent(): Promise<void> {
    const screen = this.#agentScreen;
    if (screen === undefined) return;
    this.#agentScreen = undefined;
    const ended = screen.shows(/^ended \d+/m).then(
      () => true,
      () => true,
    );
    const deadline = Date.now() + END_TIMEOUT_MS;
    while (Date.now() < deadline) {
      await screen.press('C-c');
      if (await Promise.race([ended, delay(500, false)])) return;
    }
  }

  async #screen(command: readonly string[], env: { readonly [name: string]: string } = {}): Promise<TmuxScreen> {
    const { home, workspace } = this.#household;
    const screen = await TmuxScreen.open(shellLine(command), {
      folder: home,
      env: { ...this.#household.env, COLORTERM: 'truecolor', ...env },
      cwd: workspace,
      columns: 120,
      rows: 45,
      timeoutMs: TIMEOUT_MS,
    });
    this.#screens.push(screen);
    return screen;
  }

  /** Asks the bridge for its status until it fits. */
  async #status(fits: (status: Status) => boolean): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    let last = '';
    while (Date.now() < deadline) {
      const { code, out, err } = await this.hawser('status', '--json');
      last = out + err;
      if (code === 0 && fits(JSON.parse(out))) return;
    }
    const shown = await this.#agentScreen?.text();
    throw new Error(`The bridge's status does not fit:\n${last}\n${shown ?? ''}`);
  }
}

async function take({ shows, press }: ScreenStep, screen: TmuxScreen): Promise<void> {
  await screen.shows(shows);
  await screen.press(...press);
}

/** Answers a question of the agent. Some ignore keys for a moment, so that no one answers by accident. */
export async function answer({ shows, press }: ScreenStep, screen: TmuxScreen): Promise<void> {
  const isAsked = (text: string) => (typeof shows === 'string' ? text.includes(shows) : shows.test(text));
  await screen.shows(isAsked);
  const isAnswered = screen.shows((text) => !isAsked(text));
  await until(isAnswered, () => screen.press(...press));
}

/** Whether an agent is connected through this adapter. */
function isReady({ agents }: Status, adapter: string): boolean {
  return agents.some(({ name, clients }) => name === adapter && clients.some(({ state }) => state === 'ready'));
}

/** Does something, again every few seconds, until the promise settles. */
export async function until(settled: Promise<unknown>, act: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  const isSettled = settled.then(() => true);
  // Its failure is reported below, or comes after the deadline.
  isSettled.catch(() => {});
  while (Date.now() < deadline) {
    await act();
    if (await Promise.race([isSettled, delay(RETRY_MS, false)])) return;
  }
  throw new Error('The agent took no input.');
}
