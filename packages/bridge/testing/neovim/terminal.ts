import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellLine, TmuxScreen } from '../tmux.ts';
import { type Neovim, repository } from './neovims.ts';

/** A Neovim on a screen of its own, as a user has it: installed as a plugin, started by itself, typed into. */
export class NeovimOnScreen {
  readonly home: string;
  readonly folder: string;
  readonly #terminal: TmuxScreen;

  /** Opens the file, which has this text; the Lua is run before its plugins are. */
  static async start({ program }: Neovim, lua: string, file: { readonly name: string; readonly text: string }) {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-screen-')));
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-project-')));
    writeFileSync(join(folder, file.name), file.text);
    const { CLAUDE_CONFIG_DIR: _theirs, NVIM: _outer, ...env } = process.env;
    const folders = ['CONFIG', 'DATA', 'STATE', 'CACHE'].map((name) => [`XDG_${name}_HOME`, join(home, name)]);
    const runtimepath = `set runtimepath^=${repository.replace(/\/$/, '')}`;
    const line = shellLine([program, '--clean', '--cmd', runtimepath, '--cmd', `lua ${lua}`, file.name]);
    const terminal = await TmuxScreen.open(line, {
      folder: home,
      env: { ...env, HOME: home, ...Object.fromEntries(folders) },
      cwd: folder,
      columns: 100,
      rows: 30,
    });
    return new NeovimOnScreen(home, folder, terminal);
  }

  private constructor(home: string, folder: string, terminal: TmuxScreen) {
    this.home = home;
    this.folder = folder;
    this.#terminal = terminal;
  }

  get lockFolder(): string {
    return join(this.home, '.claude', 'ide');
  }

  /** Keys by tmux's names for them; other words are typed as they are. */
  async press(...keys: string[]): Promise<void> {
    await this.#terminal.press(...keys);
  }

  async text(): Promise<string> {
    return await this.#terminal.text();
  }

  async shows(what: string | RegExp): Promise<void> {
    await this.#terminal.shows(what);
  }

  async dispose(): Promise<void> {
    await this.#terminal.close();
    for (const folder of [this.home, this.folder]) {
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  }
}
