import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { shellLine, TmuxScreen } from '../tmux.ts';
import { textAppears } from '../workspace-folder.ts';
import { type Neovim, repository } from './neovims.ts';

const run = promisify(execFile);

/** A Neovim in a real terminal: keys go in, the screen comes out. It ends with the test. */
export class Screen {
  readonly #folder: string;
  readonly #program: string;
  readonly #terminal: TmuxScreen;

  static async start(
    { program }: Neovim,
    options: { readonly file: string; readonly proposal: string; readonly layout: string },
  ) {
    const folder = mkdtempSync(join(tmpdir(), 'hawser-screen-'));
    let terminal: TmuxScreen | undefined;
    onTestFinished(async () => {
      await terminal?.close();
      // Neovim may write its log while it ends, so that a folder just emptied is not empty.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    });
    writeFileSync(join(folder, 'file.txt'), options.file);
    writeFileSync(join(folder, 'proposal.txt'), options.proposal);
    writeFileSync(join(folder, 'init.lua'), initOf(options.layout));
    const line = shellLine([
      program,
      '--clean',
      '-n',
      '-i',
      'NONE',
      '--listen',
      join(folder, 'channel'),
      '-u',
      'init.lua',
      'file.txt',
    ]);
    const env = { ...process.env, HOME: folder, XDG_STATE_HOME: folder };
    terminal = await TmuxScreen.open(line, { folder, env, cwd: folder, columns: 100, rows: 30 });
    await terminal.shows('file.txt');
    return new Screen(folder, program, terminal);
  }

  private constructor(folder: string, program: string, terminal: TmuxScreen) {
    this.#folder = folder;
    this.#program = program;
    this.#terminal = terminal;
  }

  /** Keys by tmux's names for them, one after the other; a text of several characters is typed. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#terminal.press(key);
  }

  /** The screen as soon as it fits. */
  async shows(fits: string | RegExp | ((text: string) => boolean)): Promise<string> {
    return await this.#terminal.shows(fits);
  }

  /** As a program on the other side of a channel does it; resolves when Neovim has taken it. */
  async propose(): Promise<void> {
    const channel = join(this.#folder, 'channel');
    const expression = 'luaeval("propose()")';
    await run(this.#program, ['--clean', '--headless', '--server', channel, '--remote-expr', expression]);
  }

  async decision(): Promise<string> {
    return await textAppears(this.#folder, 'decision');
  }
}

function initOf(layout: string): string {
  // The diff views and nothing else: a bridge that is starting when its Neovim ends would write to a folder that has gone.
  return `
    vim.g.loaded_hawser = 1
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
