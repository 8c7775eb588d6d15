import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { type Neovim, repository } from './neovims.contract.ts';

const run = promisify(execFile);

/** A Neovim in a real terminal: keys go in, the screen comes out. It ends with the test. */
export class Screen {
  readonly folder: string;
  readonly #program: string;
  readonly #socket: string;

  static async start(
    { program }: Neovim,
    options: { readonly file: string; readonly proposal: string; readonly layout: string },
  ) {
    const screen = new Screen(program);
    onTestFinished(() => screen.close());
    writeFileSync(join(screen.folder, 'file.txt'), options.file);
    writeFileSync(join(screen.folder, 'proposal.txt'), options.proposal);
    writeFileSync(join(screen.folder, 'init.lua'), initOf(options.layout));
    screen.#tmux('new-session', '-d', '-x', '100', '-y', '30', '-c', screen.folder, screen.#commandLine());
    await screen.until((text) => text.includes('file.txt'));
    return screen;
  }

  private constructor(program: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'hawser-screen-'));
    this.#program = program;
    this.#socket = join(this.folder, 'tmux');
  }

  /** Sends keys by tmux's names; a text of several characters is typed. */
  type(...keys: readonly string[]): void {
    for (const key of keys) this.#tmux('send-keys', key);
  }

  text(): string {
    return this.#tmux('capture-pane', '-p').trimEnd();
  }

  /** The screen as soon as the condition holds. */
  async until(holds: (text: string) => boolean): Promise<string> {
    const deadline = Date.now() + 15_000;
    for (;;) {
      const text = this.text();
      if (holds(text)) return text;
      if (Date.now() > deadline) throw new Error(`The screen never showed what was expected:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  /** As a program on the other side of a channel does it; resolves when Neovim has taken it. */
  async propose(): Promise<void> {
    const expression = 'luaeval("propose()")';
    await run(this.#program, ['--clean', '--headless', '--server', this.#channel(), '--remote-expr', expression]);
  }

  async decision(): Promise<string> {
    const path = join(this.folder, 'decision');
    const deadline = Date.now() + 15_000;
    while (!existsSync(path)) {
      if (Date.now() > deadline) throw new Error(`There was no decision:\n${this.text()}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return readFileSync(path, 'utf8');
  }

  async close(): Promise<void> {
    try {
      this.#tmux('kill-server');
    } catch {
      // It has ended by itself.
    }
    // Neovim may write its log while it ends, so that a folder just emptied is not empty.
    for (let attempt = 0; ; attempt += 1) {
      try {
        rmSync(this.folder, { recursive: true, force: true });
        return;
      } catch (error) {
        if (attempt === 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  #channel(): string {
    return join(this.folder, 'channel');
  }

  #commandLine(): string {
    const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
    const words = [
      this.#program,
      '--clean',
      '-n',
      '-i',
      'NONE',
      '--listen',
      this.#channel(),
      '-u',
      'init.lua',
      'file.txt',
    ];
    return `env HOME=${quoted(this.folder)} XDG_STATE_HOME=${quoted(this.folder)} ${words.map(quoted).join(' ')}`;
  }

  #tmux(...args: readonly string[]): string {
    const { TMUX: _outer, ...env } = process.env;
    return execFileSync('tmux', ['-S', this.#socket, '-f', '/dev/null', ...args], {
      env: { ...env, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' },
      encoding: 'utf8',
    });
  }
}

function initOf(layout: string): string {
  return `
    vim.opt.runtimepath:prepend(${JSON.stringify(repository)})
    vim.o.laststatus = 2
    local diff = require('hawser.diff')
    diff.setup({ layout = '${layout}', idle = 0 })
    local function read(name)
      local file = assert(io.open(name, 'rb'))
      local text = file:read('*a')
      file:close()
      return text
    end
    diff.on_decision(function(_, decision)
      local file = assert(io.open('part', 'wb'))
      file:write(decision.kind .. '\\n' .. (decision.text or ''))
      file:close()
      os.rename('part', 'decision')
    end)
    function _G.propose()
      diff.show({
        id = '1', title = 'Say it politely', from = 'Claude Code', path = vim.fn.getcwd() .. '/file.txt',
        old = read('file.txt'), new = read('proposal.txt'),
      })
      return 'taken'
    end`;
}
