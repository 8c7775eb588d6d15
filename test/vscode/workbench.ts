import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import type * as vscode from 'vscode';

/** Where scripts/real/vscode.mjs has installed VS Code's server, and made the extension. */
const INSTALLED = process.env.HAWSER_VSCODE ?? '';
const NODE = join(INSTALLED, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
const CODE_SERVER = join(INSTALLED, 'node_modules', 'code-server');
const SERVER = join(CODE_SERVER, 'lib', 'vscode', 'out', 'server-main.js');
/** What runs in the browser. */
export const WORKBENCH_SOURCE = join(CODE_SERVER, 'lib/vscode/out/vs/code/browser/workbench/workbench.js');
const DRIVER = fileURLToPath(new URL('driver', import.meta.url));

export const PRODUCT = join(INSTALLED, 'extension');
export const HANDS = join(INSTALLED, 'hands');

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'files.autoSave': 'off',
  'git.enabled': false,
  // Its text is in the page then.
  'terminal.integrated.gpuAcceleration': 'off',
};

export interface WorkbenchOptions {
  /** The folder with the extension; undefined for one that is installed otherwise. */
  readonly extension?: string | undefined;
  /** Installed by the command of code-server. */
  readonly vsix?: string;
  /** Manifests of other extensions, which do nothing. */
  readonly others?: readonly { readonly publisher: string; readonly name: string }[];
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A server of VS Code with a folder. */
export class Workbench {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'hv-')));
  readonly folder = join(this.home, 'work');
  readonly extensions = join(this.home, 'ext');
  readonly #port: number;
  #server: ChildProcess | undefined;
  readonly #browser: Browser;
  readonly #windows: Window[] = [];

  static async start(options: WorkbenchOptions = {}): Promise<Workbench> {
    const [port, browser] = await Promise.all([
      freePort(),
      chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] }),
    ]);
    const workbench = new Workbench(options, port, browser);
    if (options.vsix !== undefined) await workbench.#install(options.vsix);
    workbench.#start(options);
    await answers(`http://127.0.0.1:${port}/version`);
    return workbench;
  }

  private constructor({ extension, others, settings }: WorkbenchOptions, port: number, browser: Browser) {
    this.#port = port;
    this.#browser = browser;
    for (const name of ['work', 'ext', 'home', join('srv', 'data', 'Machine')]) {
      mkdirSync(join(this.home, name), { recursive: true });
    }
    cpSync(DRIVER, join(this.extensions, 'test.driver-0.0.1'), { recursive: true });
    if (extension !== undefined) {
      cpSync(extension, join(this.extensions, 'hawser-dev.hawser-0.1.0'), { recursive: true });
    }
    for (const manifest of others ?? []) {
      const folder = join(this.extensions, `${manifest.publisher}.${manifest.name}-1.0.0`);
      mkdirSync(folder);
      const whole = { ...manifest, version: '1.0.0', engines: { vscode: '^1.101.0' } };
      writeFileSync(join(folder, 'package.json'), JSON.stringify(whole));
    }
    const settingsFile = join(this.home, 'srv', 'data', 'Machine', 'settings.json');
    writeFileSync(settingsFile, JSON.stringify({ ...SETTINGS, ...settings }));
  }

  async #install(vsix: string): Promise<void> {
    const program = join(CODE_SERVER, 'out', 'node', 'entry.js');
    const where = ['--extensions-dir', this.extensions, '--user-data-dir', join(this.home, 'user')];
    const env = { ...process.env, ...this.env };
    await promisify(execFile)(NODE, [program, '--install-extension', vsix, ...where], { env });
  }

  #start({ env }: WorkbenchOptions): void {
    const log = openSync(join(this.home, 'server.log'), 'a');
    this.#server = spawn(NODE, [...this.#serverArguments, '--default-folder', this.folder], {
      env: { ...process.env, ...this.env, HAWSER_DRIVER: this.driver, ...env },
      stdio: ['ignore', log, log],
    });
  }

  /** Of the user whose window this is. */
  get env(): Record<string, string> {
    return { HOME: join(this.home, 'home'), XDG_STATE_HOME: join(this.home, 'state') };
  }

  get driver(): string {
    return join(this.home, 'driver.sock');
  }

  get #serverArguments(): string[] {
    return [
      SERVER,
      ...['--host', '127.0.0.1', '--port', String(this.#port), '--without-connection-token'],
      ...['--accept-server-license-terms', '--telemetry-level', 'off', '--disable-workspace-trust'],
      ...['--server-data-dir', join(this.home, 'srv'), '--extensions-dir', this.extensions],
    ];
  }

  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** A window on the folder, once its extension host runs. */
  async open(viewport = { width: 1280, height: 800 }): Promise<Window> {
    const context = await this.#browser.newContext({ viewport });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    const window = new Window(page, this.driver, `http://127.0.0.1:${this.#port}/`);
    this.#windows.push(window);
    await window.load();
    return window;
  }

  async close(): Promise<void> {
    // Before the server: it would leave the extension hosts to themselves for a while.
    for (const window of this.#windows) await window.endHost();
    await this.#browser.close();
    const exited = this.#server && once(this.#server, 'exit');
    this.#server?.kill();
    await exited;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** A window of VS Code in a browser, with a way to ask its extension host. */
export class Window {
  readonly page: Page;
  readonly #driver: string;
  readonly #url: string;
  #link: Socket | undefined;
  #next = 0;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>();

  constructor(page: Page, driver: string, url: string) {
    this.page = page;
    this.#driver = driver;
    this.#url = url;
  }

  /** Opens the window, or opens it again. */
  async load(): Promise<void> {
    this.#link?.destroy();
    rmSync(this.#driver, { force: true });
    await this.page.goto(this.#url, { waitUntil: 'commit' });
    await this.page.waitForSelector('.monaco-workbench .statusbar-item');
    await until(() => existsSync(this.#driver));
    const link = connect(this.#driver);
    link.on('error', () => {});
    await once(link, 'connect');
    this.#link = link;
    createInterface({ input: link }).on('line', (line) => {
      const { id, value, error } = JSON.parse(line);
      const caller = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) caller?.resolve(value);
      else caller?.reject(new Error(error));
    });
  }

  /** Runs a function within the extension host; it sees only its argument. */
  run<Arg, Result>(
    code: (api: typeof vscode, arg: Arg) => Result | Thenable<Result>,
    arg?: Arg,
  ): Promise<Awaited<Result>> {
    this.#next += 1;
    const id = this.#next;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#link?.write(`${JSON.stringify({ id, code: `return (${code})(vscode, arg)`, arg })}\n`);
    });
  }

  command(name: string, ...args: unknown[]): Promise<unknown> {
    return this.run((api, given) => api.commands.executeCommand(given.name, ...given.args).then(() => null), {
      name,
      args,
    });
  }

  async endHost(): Promise<void> {
    if (this.#link === undefined || this.#link.destroyed) return;
    const closed = once(this.#link, 'close');
    this.#link.write(`${JSON.stringify({ id: 0, code: "process.kill(process.pid, 'SIGKILL')" })}\n`);
    await closed;
  }
}

const LOOK_AGAIN_MS = 20;
/** As long as a busy machine may take. */
const WAIT_MS = 60_000;

/** A page and a server send no events to a test. */
export async function until<Value>(look: () => Value | Promise<Value>, ms = WAIT_MS): Promise<NonNullable<Value>> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await look();
    if (value) return value as NonNullable<Value>;
    if (Date.now() > end) throw new Error(`This did not come true in ${ms} ms: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

async function answers(url: string): Promise<void> {
  await until(() =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
