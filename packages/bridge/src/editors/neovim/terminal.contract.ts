import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Neovim, repository } from './neovims.contract.ts';

/** A Neovim on a screen of its own, as a person has it: installed as a plugin, started by itself, typed into. */
export class NeovimOnScreen {
  readonly home: string;
  readonly folder: string;
  readonly #socket: string;

  constructor({ program }: Neovim, lua: string, files: readonly string[]) {
    this.home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-screen-')));
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-project-')));
    this.#socket = join(this.home, 'tmux');
    const { CLAUDE_CONFIG_DIR: _theirs, NVIM: _outer, TMUX: _own, ...env } = process.env;
    const words = [
      program,
      '--clean',
      '--cmd',
      `set runtimepath^=${repository.replace(/\/$/, '')}`,
      '--cmd',
      `lua ${lua}`,
      ...files,
    ];
    const folders = ['CONFIG', 'DATA', 'STATE', 'CACHE'].map((name) => [`XDG_${name}_HOME`, join(this.home, name)]);
    execFileSync(
      'tmux',
      [
        '-S',
        this.#socket,
        '-f',
        '/dev/null',
        'new-session',
        '-d',
        '-x',
        '100',
        '-y',
        '30',
        '-c',
        this.folder,
        ...words,
      ],
      { env: { ...env, HOME: this.home, TERM: 'xterm-256color', ...Object.fromEntries(folders) } },
    );
  }

  get lockFolder(): string {
    return join(this.home, '.claude', 'ide');
  }

  /** Keys by tmux's names for them; other words are typed as they are. */
  press(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  async shows(what: string | RegExp): Promise<void> {
    const deadline = Date.now() + 15_000;
    while (!(typeof what === 'string' ? this.screen().includes(what) : what.test(this.screen()))) {
      if (Date.now() > deadline) throw new Error(`The screen does not show ${what}:\n${this.screen()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  dispose(): void {
    try {
      this.#tmux('kill-server');
    } catch {
      // It has ended with its only program.
    }
    for (const folder of [this.home, this.folder]) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  }

  #tmux(...words: string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }
}
