import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { shellLine, TmuxScreen } from '../tmux.ts';
import type { Layout } from './diff-nvim.ts';
import { type Neovim, repository } from './neovims.ts';
import { CONNECT, Reviewing } from './reviewing.ts';

/** A Neovim in a real terminal: keys go in, the screen comes out. It ends with the test. */
export class Screen {
  readonly #folder: string;
  readonly #options: ScreenOptions;
  readonly #terminal: TmuxScreen;
  readonly #reviewing: Reviewing;

  static async start({ program }: Neovim, options: ScreenOptions) {
    const folder = mkdtempSync(join(tmpdir(), 'hawser-screen-'));
    let terminal: TmuxScreen | undefined;
    onTestFinished(async () => {
      await terminal?.close();
      // Neovim may write its log while it ends, so that a folder just emptied is not empty.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    });
    writeFileSync(join(folder, 'file.txt'), options.file);
    writeFileSync(join(folder, 'init.lua'), initOf(options.layout, options.lua ?? ''));
    const line = shellLine([program, '--clean', '-n', '-i', 'NONE', '-u', 'init.lua', 'file.txt']);
    const env = { ...process.env, HOME: folder, XDG_STATE_HOME: folder };
    const { columns = 100, rows = 30 } = options;
    terminal = await TmuxScreen.open(line, { folder, env, cwd: folder, columns, rows });
    await terminal.shows('file.txt');
    const screen = terminal;
    const reviewing = await Reviewing.accept(join(folder, 'channel'), () =>
      screen.press(":lua connect('channel')", 'Enter'),
    );
    onTestFinished(() => reviewing.close());
    return new Screen(folder, options, terminal, reviewing);
  }

  private constructor(folder: string, options: ScreenOptions, terminal: TmuxScreen, reviewing: Reviewing) {
    this.#folder = folder;
    this.#options = options;
    this.#terminal = terminal;
    this.#reviewing = reviewing;
  }

  /** Keys by tmux's names for them, one after the other; a text of several characters is typed. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#terminal.press(key);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#terminal.resize(columns, rows);
  }

  /** The screen as soon as it fits. */
  async shows(fits: string | RegExp | ((text: string) => boolean)): Promise<string> {
    return await this.#terminal.shows(fits);
  }

  /** Shows the proposal, or lets it wait. Resolves when Neovim has taken it. */
  async propose(): Promise<void> {
    const { file, proposal } = this.#options;
    const path = join(this.#folder, 'file.txt');
    this.#reviewing.show({ id: '1', agent: 'Claude Code', path, old: file, new: proposal });
    await this.#reviewing.synced();
  }

  /** As `accepted\n` and the text, or `rejected\n`. */
  async decision(): Promise<string> {
    while (this.#reviewing.decisions.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const [[, kind, text = ''] = []] = this.#reviewing.decisions;
    return `${kind}\n${text}`;
  }
}

export interface ScreenOptions {
  readonly file: string;
  readonly proposal: string;
  readonly layout: Layout;
  /** Lua that runs at the start. */
  readonly lua?: string;
  readonly columns?: number;
  readonly rows?: number;
}

function initOf(layout: Layout, lua: string): string {
  // The diff views and nothing else: a bridge that is starting when its Neovim ends would write to a folder that has gone.
  return `
    vim.g.loaded_hawser = 1
    vim.opt.runtimepath:prepend(${JSON.stringify(repository)})
    vim.o.laststatus = 2
    require('hawser').setup { auto_start = false, diff = { idle = 0, grace = 0, layout = '${layout}' } }
    function _G.connect(...) ${CONNECT} end
    ${lua}`;
}
